// Number keys choose, and a choice is checked before it is sent. Without this script all works too.
const form = document.querySelector("form[data-choose]");
if (form) {
  const wanted = Number(form.dataset.choose);
  const boxes = [...form.querySelectorAll("input[name=chosen]")];
  const said = document.getElementById("said");
  const count = () => boxes.filter((box) => box.checked).length;
  const tell = () => {
    if (wanted === 1) return;
    const rest = wanted - count();
    if (rest > 0) said.textContent = rest === wanted ? `Choose ${wanted}.` : `Choose ${rest} more.`;
    else if (rest === 0) said.textContent = "That is all: save it, or change your mind.";
    else said.textContent = `That is too many: take back ${-rest}.`;
  };
  form.addEventListener("change", tell);
  form.addEventListener("submit", (event) => {
    if (count() === wanted) return;
    event.preventDefault();
    tell();
    if (wanted === 1) said.textContent = "Choose one of the lists.";
    boxes[0].focus();
  });
  // a list is chosen by a click anywhere on it
  for (const offer of form.querySelectorAll(".lists .offer")) {
    offer.addEventListener("click", (event) => {
      const box = offer.querySelector("input");
      if (event.target === box || event.target.closest("label") || String(getSelection())) return;
      box.checked = true;
      tell();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const box = boxes[Number(event.key) - 1];
    if (box && /^[1-9]$/.test(event.key)) {
      box.checked = box.type === "radio" ? true : !box.checked;
      box.focus();
      tell();
    } else if (event.key === "Enter" && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  tell();
}
