// A view that is drawn again keeps the reader's place: focus, selection and height, and on request what was typed.
const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const TYPED = "input:not([type=file]), select, textarea";
const keyOf = (element) => [element.localName, element.name ?? "", element.id, element.type ?? "", /^(radio|checkbox)$/.test(element.type) ? element.value : "", element.getAttribute("aria-label") ?? "", element.localName === "button" || element.localName === "summary" ? element.textContent : ""].join("\n");

// The element at the same place among those that look the same.
function address(root, element, kind) {
  const key = keyOf(element), number = [...root.querySelectorAll(kind)].filter((one) => keyOf(one) === key).indexOf(element);
  return () => [...root.querySelectorAll(kind)].filter((one) => keyOf(one) === key)[number];
}

// Remembers the place in `root`; the function that is returned goes back to it as soon as it is there again.
export function keepPlace(root, { fields = false, here = true } = {}) {
  root.style.minHeight = "";
  if (!here) return () => {};
  const active = root.contains(document.activeElement) && document.activeElement !== root ? document.activeElement : null;
  const find = active && address(root, active, FOCUSABLE), selection = active?.localName === "textarea" || active?.type === "text" ? [active.selectionStart, active.selectionEnd] : null;
  const typed = fields ? [...root.querySelectorAll(TYPED)].map((one) => [address(root, one, TYPED), one.value, one.checked]) : [];
  root.style.minHeight = `${root.offsetHeight}px`; // nothing jumps while results are on their way
  let again = false;
  return () => {
    for (const [at, value, checked] of again ? [] : typed) {
      const one = at();
      if (!one) continue;
      if (/^(radio|checkbox)$/.test(one.type)) { if (one.checked !== checked) one.click(); } else one.value = value;
    }
    const lost = [document.body, null].includes(document.activeElement), to = find?.();
    if (active && lost && to) { to.focus({ preventScroll: true }); if (selection) to.setSelectionRange(...selection); }
    else if (active && lost && again) root.focus({ preventScroll: true });
    if (again) root.style.minHeight = "";
    again = true;
  };
}
