/** The page: what it holds, and how text, controls, runs and plots follow one another. */

import { shown } from "./axes.mjs";
import { numbers, perFilter, perFlow } from "./compare.mjs";
import { Controls } from "./controls.mjs";
import { recognised } from "./data.mjs";
import { append, parsed, remove, set } from "./edit.mjs";
import { Editor } from "./editor.mjs";
import { Hero } from "./hero.mjs";
import { LESSONS, lessonOf, lessonText } from "./lessons.mjs";
import { packed, unpacked } from "./link.mjs";
import { ownData } from "./own.mjs";
import { Packets } from "./packets.mjs";
import { Plots } from "./plots.mjs";
import { program } from "./python.mjs";
import { Runner } from "./runner.mjs";
import { Schema } from "./schema.mjs";
import { View } from "./view.mjs";

const byId = (id) => document.getElementById(id);
const say = (text) => (byId("spoken").textContent = text);
const LABELS = ["A", "B"];
/** Characters beyond which mail and chat programs are known to cut links. */
const LONG_LINK = 8000;

class Page {
  constructor() {
    this.text = "";
    this.seed = 1;
    this.port = undefined;
    this.lesson = LESSONS[0];
    this.result = null;
    this.pinned = {};
    this.before = [];
    this.opened = 0;
    this.view = new View();
    this.runner = new Runner({
      started: () => this.#busy(true),
      stopped: () => this.#status("Stopped."),
      progress: (done) => this.#progress(done),
      result: (result, asked) => this.#show(result, asked),
      error: (error, asked) => this.#fault(error, asked),
      large: (takes) => this.#large(takes),
    });
    this.runner.ready.catch((error) => this.banner(String(error.message)));
    this.plots = new Plots(byId("plots"), byId("panels"), this.view, say);
    this.packets = new Packets(byId("packets"), this.view, say);
    this.view.listen(() => this.packets.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
    this.editor = new Editor(byId("toml"), byId("gutter"), byId("fault"), (text) => this.change(text, "editor"));
    this.hero = new Hero(byId("hero"), (path, value) => this.#edit(() => set(this.text, path, value), "slide"), (changes) => this.#vary(changes));
    this.controls = new Controls(byId("controls"), {
      set: (path, value, how) => this.#edit(() => set(this.text, path, value), how === "typed" ? how : "control"),
      remove: (path, how) => this.#edit(() => remove(this.text, path), how === "typed" ? how : "control"),
      append: (path, value) => this.#edit(() => append(this.text, path, value), "control"),
    });
    this.#buttons();
  }

  /** Begins with what the address holds, or with the first lesson. */
  async begin() {
    await this.#fromAddress();
    addEventListener("hashchange", () => this.#fromAddress());
  }

  async #fromAddress() {
    let shared = null;
    try {
      shared = await unpacked(location.hash);
    } catch (error) {
      this.banner(error.message);
    }
    if (shared) {
      this.#open(lessonOf(shared.lesson), shared.toml, shared.seed);
      this.expected = shared.engine;
      if (shared.a || shared.b) await this.#runPinned(shared);
    } else if (!this.text) await this.choose(lessonOf(location.hash.slice(1)) ?? LESSONS[0]);
    else if (lessonOf(location.hash.slice(1))) await this.choose(lessonOf(location.hash.slice(1)));
  }

  /** Runs what a link has pinned, one after the other, before what it shows. */
  async #runPinned({ a, b }) {
    for (const [label, own] of [["A", a], ["B", b]]) {
      if (own) this.pinned[label] = { toml: own.toml, seed: own.seed };
    }
    this.#pinButtons();
  }

  async choose(lesson) {
    let text;
    try {
      text = await lessonText(lesson);
    } catch (error) {
      this.banner(error.message);
      return;
    }
    this.#open(lesson, text, lesson.seed ?? 1);
    if (location.hash) history.replaceState(null, "", lesson === LESSONS[0] ? location.pathname : `#${lesson.id}`);
    else if (lesson !== LESSONS[0]) history.replaceState(null, "", `#${lesson.id}`);
  }

  #open(lesson, text, seed) {
    this.opened += 1;
    this.lesson = lesson;
    this.pinned = {};
    this.#pinButtons();
    this.view.reset();
    this.view.cursor = null;
    this.port = undefined;
    this.hero.tell(lesson, byId("story"));
    this.plots.prefer(lesson?.panels);
    byId("filters-box").hidden = true;
    byId("lesson").value = lesson?.id ?? "";
    this.seed = seed;
    byId("seed").value = seed;
    this.change(text, "lesson");
  }

  /** A change of the text that a control asks for; a text that is no TOML cannot take any. */
  #edit(make, how) {
    let text;
    try {
      text = make();
    } catch (error) {
      this.toast(`The text has to be mended first: ${error.message}`);
      return;
    }
    this.change(text, how);
  }

  #vary(changes) {
    const varied = (text, [path, value]) => (value === null ? remove(text, path) : set(text, path, value));
    this.#edit(() => changes.reduce(varied, this.text), "variant");
  }

  /** Takes a text: everything else follows it, but for where it came from. */
  change(text, from) {
    if (text !== this.text) this.#keep(from);
    this.text = text;
    if (from !== "editor") this.editor.show(text);
    try {
      this.scenario = parsed(text);
      if (from !== "typed") this.controls.show(this.scenario);
      if (from !== "slide") this.hero.follow(this.scenario);
      this.hero.mark(this.scenario);
    } catch (error) {
      this.#fault({ message: error.message, line: error.line }, null);
      return;
    }
    this.run();
  }

  run(most) {
    return this.runner.run({ text: this.text, seed: this.seed, port: this.port, ...(most !== undefined && { most }) });
  }

  // --- What the runner tells -----------------------------------------------------------------------------

  #busy(busy) {
    clearTimeout(this.slow);
    byId("go").hidden = true;
    if (busy) this.slow = setTimeout(() => (byId("stop").hidden = false), 400);
    else {
      byId("stop").hidden = true;
      byId("progress").hidden = true;
    }
  }

  #progress(done) {
    byId("progress").hidden = false;
    byId("progress").value = done;
  }

  #status(text) {
    this.#busy(false);
    byId("status").textContent = text;
  }

  #show(result, asked) {
    if (asked.label) {
      this.pinned[asked.label] = { toml: asked.text, seed: asked.seed, result };
      this.#pinButtons();
      return this.#draw();
    }
    if (asked.text === this.text || !this.faulty) document.body.classList.remove("stale");
    this.result = result;
    this.drawn = { toml: asked.text, seed: asked.seed };
    if (asked.text === this.text) this.#mended();
    this.#busy(false);
    if (!this.faulty) this.#status(`${shown(result.duration)} s simulated in ${shown(result.took, 2)} ms, ${shown(result.events, 9)} events`);
    byId("version").textContent = `Engine ${result.engine}.`;
    if (this.expected && this.expected !== result.engine) this.banner(`This link was made with engine ${this.expected}; here it is ${result.engine}, and numbers may differ.`);
    this.expected = null;
    this.view.setDuration(result.duration);
    this.#ports(result);
    this.#draw();
    if (!this.first) this.#firstDrawn();
    dispatchEvent(new CustomEvent("parshall-run", { detail: result }));
    return this.#pendingPins();
  }

  /** After the first picture there is time for the rest: the schema, and the controls made of it. */
  async #firstDrawn() {
    this.first = performance.now();
    document.documentElement.dataset.first = Math.round(this.first);
    const schema = new Schema(await this.runner.schema());
    this.schema = schema;
    this.controls.schema = schema;
    try {
      this.controls.show(parsed(this.text));
    } catch {
      // The text has a fault, which is told already.
    }
    document.documentElement.dataset.ready = "yes";
  }

  #pendingPins() {
    for (const [label, own] of Object.entries(this.pinned)) {
      if (!own.result) return this.runner.run({ text: own.toml, seed: own.seed, port: this.port, label, most: 0 });
    }
    return undefined;
  }

  #draw() {
    if (!this.result) return;
    const runs = LABELS.filter((label) => this.pinned[label]?.result).map((label) => ({ label, result: this.pinned[label].result }));
    const only = byId("only").checked && runs.length === 2;
    const compared = runs.length ? [...runs, ...(only ? [] : [{ label: "now", result: this.result }])] : [];
    this.plots.show(this.result, compared, byId("each").checked);
    this.packets.show(this.result, this.plots.colourOf);
    byId("packets-box").hidden = !this.result.packets;
    byId("tables").hidden = false;
    numbers(byId("numbers"), compared.length ? compared : [{ label: "this run", result: this.result }]);
    perFlow(byId("flows"), this.result);
    this.hero.glance(byId("glance"), this.result);
  }

  #fault(error, asked) {
    if (asked?.label) {
      delete this.pinned[asked.label];
      this.#pinButtons();
      return;
    }
    this.faulty = true;
    document.body.classList.add("stale");
    this.editor.fault(error);
    this.#status(`${error.message} (the plots are those of the last run)`);
  }

  #mended() {
    this.faulty = false;
    this.editor.fault(null);
  }

  #large(takes) {
    this.#status(`This run has about ${shown(takes.events / 1e6, 2)} million events, some ${shown(takes.events / 3e6, 1)} s.`);
    document.body.classList.add("stale");
    byId("go").hidden = false;
  }

  banner(text) {
    byId("banner").textContent = text;
    byId("banner").hidden = !text;
  }

  // --- Buttons -------------------------------------------------------------------------------------------

  #ports({ ports, port }) {
    const select = byId("port");
    select.replaceChildren(...ports.map((name) => new Option(name, name, false, name === port)));
    byId("port-box").hidden = ports.length < 2;
  }

  #buttons() {
    byId("lesson").append(...LESSONS.map(({ id, title }) => new Option(title, id)), new Option("your own scenario", ""));
    const on = (id, event, does) => byId(id).addEventListener(event, does);
    on("lesson", "change", () => {
      const lesson = lessonOf(byId("lesson").value);
      this.banner("");
      if (lesson) this.choose(lesson);
      else this.#open(undefined, this.text, this.seed);
    });
    on("seed", "input", () => this.#seeded(Number(byId("seed").value)));
    on("again", "click", () => this.#seeded(this.seed + 1));
    on("port", "change", () => {
      this.port = byId("port").value;
      this.run();
    });
    on("to-side", "click", () => {
      byId("side").scrollIntoView();
      byId("tab-controls").focus({ preventScroll: true });
    });
    // Not by the link itself: the address holds the lesson, or what is shared.
    on("skip", "click", (event) => {
      event.preventDefault();
      byId("results").scrollIntoView();
      byId("results").focus({ preventScroll: true });
    });
    on("undo", "click", () => this.undo());
    on("stop", "click", () => this.runner.stop());
    on("go", "click", () => this.run(0));
    on("only", "change", () => this.#draw());
    on("each", "change", () => this.#draw());
    for (const label of LABELS) on(`pin-${label}`, "click", () => this.pin(label));
    on("copy-link", "click", () => this.share());
    on("as-toml", "click", () => this.copy(this.text, "TOML"));
    on("as-python", "click", () => this.#copyPython());
    on("file", "change", () => this.own(byId("file").files[0]));
    this.#tabs();
    this.#drops();
  }

  #seeded(seed) {
    if (!Number.isSafeInteger(seed) || seed < 0) return;
    this.seed = seed;
    byId("seed").value = seed;
    this.run();
  }

  #tabs() {
    const tabs = [byId("tab-controls"), byId("tab-toml")];
    const select = (chosen) => {
      byId("side").dataset.tab = chosen.id.slice(4);
      for (const tab of tabs) {
        tab.setAttribute("aria-selected", tab === chosen);
        tab.tabIndex = tab === chosen ? 0 : -1;
      }
      this.editor.resized();
    };
    for (const tab of tabs) {
      tab.addEventListener("click", () => select(tab));
      tab.addEventListener("keydown", ({ key }) => {
        if (key !== "ArrowLeft" && key !== "ArrowRight") return;
        const other = tabs.find((each) => each !== tab);
        select(other);
        other.focus();
      });
    }
    select(tabs[0]);
  }

  /** Pins the run that is shown, or lets go of the one that is pinned. */
  pin(label) {
    if (this.pinned[label]) delete this.pinned[label];
    else if (this.result) this.pinned[label] = { ...this.drawn, result: this.result };
    this.#pinButtons();
    this.#draw();
  }

  #pinButtons() {
    for (const label of LABELS) {
      const button = byId(`pin-${label}`);
      const own = this.pinned[label];
      button.setAttribute("aria-pressed", Boolean(own));
      button.textContent = own ? `Unpin ${label}` : `Pin as ${label}`;
    }
    const both = LABELS.every((label) => this.pinned[label]);
    byId("only-label").hidden = !both;
    byId("each-label").hidden = !LABELS.some((label) => this.pinned[label]);
    if (!both) byId("only").checked = false;
  }

  /** Goes back to the text before the last change. */
  undo() {
    const before = this.before.pop();
    if (before !== undefined) this.change(before, "undo");
    byId("undo").disabled = !this.before.length;
  }

  /** Keeps the text as it was; of a slider that moves only where it began. */
  #keep(from) {
    const moves = from === "slide" || from === "typed" || from === "editor";
    const goesOn = moves && this.kept?.from === from && performance.now() - this.kept.at < 1000;
    this.kept = { from, at: performance.now() };
    if (goesOn || from === "undo" || !this.text) return;
    this.before.push(this.text);
    this.before.splice(0, this.before.length - 200);
    byId("undo").disabled = false;
  }

  /** Copies a link with scenario, seed and version, and puts it into the address. */
  async share() {
    const own = (label) => this.pinned[label] && { toml: this.pinned[label].toml, seed: this.pinned[label].seed };
    const fragment = await packed({ toml: this.text, seed: this.seed, engine: this.result?.engine, lesson: this.lesson?.id, a: own("A"), b: own("B") });
    history.replaceState(null, "", fragment);
    const long = location.href.length > LONG_LINK ? "; some programs cut links so long" : "";
    await this.copy(location.href, `link${long}`);
  }

  /** The scenario as a program in Python. */
  python() {
    return program(this.text, this.schema, this.seed);
  }

  async #copyPython() {
    try {
      await this.copy(this.python(), "Python");
    } catch (error) {
      this.toast(`No Python: ${error.message}`);
    }
  }

  async copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.toast(`Copied, ${shown(text.length, 9)} characters: ${what}`);
    } catch {
      byId("copied").value = text;
      byId("copy").showModal();
      byId("copied").select();
    }
  }

  toast(text) {
    const box = byId("toast");
    box.textContent = text;
    box.classList.add("shown");
    clearTimeout(this.toasting);
    this.toasting = setTimeout(() => box.classList.remove("shown"), 3500);
  }

  #drops() {
    const body = document.body;
    addEventListener("dragover", (event) => {
      event.preventDefault();
      body.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => event.relatedTarget || body.classList.remove("dropping"));
    addEventListener("drop", (event) => {
      event.preventDefault();
      body.classList.remove("dropping");
      if (event.dataTransfer.files[0]) this.own(event.dataTransfer.files[0]);
    });
  }

  /** Judges filters of the timeout on the reader's round trips, if there are enough, and unless something else is opened meanwhile. */
  async #timeouts(rtts) {
    this.opened += 1;
    const { opened } = this;
    const filters = rtts ? await this.runner.timeouts(rtts) : [];
    if (opened !== this.opened) return;
    byId("filters-box").hidden = !filters.length;
    perFilter(byId("filters"), filters);
  }

  /** Takes a file of the reader's own. */
  async own(file) {
    if (!file) return;
    byId("file").value = "";
    try {
      const found = recognised(file.name, await file.text());
      const { text, told, panel, rtts } = ownData(found, file.name, this.text);
      if (found.kind === "toml") this.#open(undefined, text, this.seed);
      else this.change(text, "file");
      this.plots.own(panel);
      this.banner(told);
      await this.#timeouts(rtts);
    } catch (error) {
      this.banner(error.message);
    }
  }
}

byId("status").textContent = "Loading the engine";
const page = new Page();
page.begin();
globalThis.parshall = page;
