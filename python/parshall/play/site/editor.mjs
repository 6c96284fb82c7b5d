/** The text of the scenario: lines with numbers, and the fault beneath with its line marked. */

export class Editor {
  #line = null;

  constructor(area, gutter, fault, changed) {
    this.area = area;
    this.gutter = gutter;
    this.told = fault;
    area.addEventListener("input", () => {
      this.#number();
      changed(area.value);
    });
    area.addEventListener("scroll", () => (gutter.scrollTop = area.scrollTop));
  }

  /** Puts a text there, with the place of the cursor as it was. */
  show(text) {
    if (this.area.value === text) return;
    const { selectionStart, scrollTop } = this.area;
    this.area.value = text;
    this.area.setSelectionRange(selectionStart, selectionStart);
    this.area.scrollTop = scrollTop;
    this.#number();
  }

  /** Tells what is wrong, or that nothing is. */
  fault(error) {
    this.#line = error?.line ?? null;
    this.told.textContent = error ? error.message : "";
    this.area.setAttribute("aria-invalid", Boolean(error));
    this.#number();
  }

  resized() {
    this.gutter.scrollTop = this.area.scrollTop;
  }

  #number() {
    const count = this.area.value.split("\n").length;
    const lines = Array.from({ length: count }, (_, at) => at + 1);
    this.gutter.replaceChildren(
      ...lines.flatMap((line) => {
        if (line !== this.#line) return [`${line}\n`];
        const bold = document.createElement("b");
        bold.textContent = `▸ ${line}\n`;
        return [bold];
      }),
    );
    this.gutter.scrollTop = this.area.scrollTop;
  }
}
