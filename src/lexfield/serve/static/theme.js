// Before anything is painted: the colours that were chosen, or else those of the system.
const system = matchMedia("(prefers-color-scheme: dark)");
function paintTheme() {
  const chosen = localStorage.getItem("theme");
  document.documentElement.dataset.theme =
    chosen === "light" || chosen === "dark" ? chosen : system.matches ? "dark" : "light";
  dispatchEvent(new Event("themechange"));
}
system.addEventListener("change", paintTheme);
addEventListener("themechoice", paintTheme);
paintTheme();
