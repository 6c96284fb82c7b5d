/** Uses the playground as a reader does, in a frame of its own origin, and posts what happened to `found`. */

const frame = document.getElementById("frame");
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const asked = new URLSearchParams(location.search);

async function until(holds, what, patience = 30_000) {
  for (const end = performance.now() + patience; performance.now() < end; await pause(20)) {
    const value = holds();
    if (value) return value;
  }
  throw new Error(`waited in vain for ${what}`);
}

/** Opens the page anew; returns its window and its elements by id. */
async function opened(fragment = "", width = 1280) {
  frame.style.width = `${width}px`;
  frame.src = "about:blank";
  await pause(50);
  frame.src = `index.html?${Math.random()}${fragment}`;
  await until(() => frame.contentDocument?.documentElement?.dataset.ready, `the page with ${fragment || "nothing"}`);
  const inner = frame.contentWindow;
  return { inner, page: inner.parshall, $: (id) => inner.document.getElementById(id) };
}

function input(element, value, event = "input") {
  element.value = value;
  element.dispatchEvent(new Event(event, { bubbles: true }));
}

/** Waits for a run that began after a change. */
async function ran({ inner, page }, does) {
  const next = new Promise((done) => inner.addEventListener("parshall-run", done, { once: true }));
  does();
  await Promise.race([next, pause(20_000)]);
  await until(() => page.drawn.toml === page.text, "the last run");
  await pause(50);
}

const drawnOn = (canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value) => value > 0);
};

async function load() {
  const first = [];
  let last;
  for (let at = 0; at < Number(asked.get("loads") ?? 1); at++) {
    last = await opened();
    first.push(Number(last.inner.document.documentElement.dataset.first));
  }
  const figures = [...last.inner.document.querySelectorAll("figure.plot")];
  return {
    first,
    status: last.$("status").textContent,
    drawn: figures.map((each) => drawnOn(each.querySelector("canvas"))),
    said: figures.map((each) => each.querySelector("canvas").getAttribute("aria-label")),
    requests: last.inner.performance.getEntriesByType("resource").map(({ name }) => new URL(name).origin === location.origin),
    engine: last.page.result.engine,
  };
}

async function slide() {
  const at = await opened();
  const { inner, page, $ } = at;
  const before = page.result.numbers.delay;
  let runs = 0;
  inner.addEventListener("parshall-run", () => runs++);
  const began = performance.now();
  for (let step = 0; performance.now() - began < Number(asked.get("sliding") ?? 2000); step++) {
    input($("slide"), 1000 - ((step * 5) % 1000));
    await pause(16);
  }
  const perMinute = (60_000 * runs) / (performance.now() - began);
  await ran(at, () => input($("slide"), 400));
  return { perMinute, before, after: page.result.numbers.delay, toml: page.text, value: $("slide-value").textContent };
}

async function follow() {
  const at = await opened();
  const { inner, page, $ } = at;
  const control = (path) => inner.document.querySelector(`#controls [data-path="${path}"]`);
  await ran(at, () => input(control("dumbbell.rate"), "5 Mbit/s", "change"));
  const toml = page.text;
  await ran(at, () => input($("toml"), page.text.replace('"5 Mbit/s"', '"7 Mbit/s"')));
  const rate = control("dumbbell.rate").value;
  await ran(at, () => input(control("dumbbell.queue"), "codel", "change"));
  const kind = page.text;
  await ran(at, () => $("undo").click());
  const undone = page.text;
  $("pin-A").click();
  await ran(at, () => input($("seed"), "5"));
  const heads = [...inner.document.querySelectorAll("#numbers thead th")].map((each) => each.textContent);
  at.$("plots").querySelector(".surface").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  const { hash } = inner.location;
  $("skip").click();
  const skipped = inner.document.activeElement.id === "results" && inner.location.hash === hash;
  return { toml, rate, kind, undone, heads, skipped, cursor: page.view.cursor };
}

async function fault() {
  const at = await opened();
  const { inner, page, $ } = at;
  const tell = async (text) => {
    input($("toml"), text);
    await until(() => inner.document.body.classList.contains("stale") && $("fault").textContent, "the fault");
    return $("fault").textContent;
  };
  const good = page.text;
  const syntax = await tell(good.replace("[dumbbell]", "[dumbbell"));
  await ran(at, () => input($("toml"), good));
  const key = await tell(good.replace("limit_packets", "limit_pakets"));
  await ran(at, () => input($("toml"), good));
  return { syntax, key, mended: $("fault").textContent, stale: inner.document.body.classList.contains("stale") };
}

async function share() {
  const at = await opened("#rtt-unfairness");
  at.$("pin-B").click();
  await ran(at, () => input(at.$("slide"), 900));
  await ran(at, () => input(at.$("seed"), "3"));
  await at.page.share();
  const { hash } = at.inner.location;
  const { text, result } = at.page;
  const python = at.page.python();
  const again = await opened(hash);
  await until(() => again.page.pinned.B?.result, "the pinned run");
  return {
    length: hash.length,
    same: again.page.text === text && again.page.seed === 3,
    goodput: [result.numbers.goodput, again.page.result.numbers.goodput],
    pinned: again.page.pinned.B.toml !== text,
    lesson: again.$("lesson").value,
    python,
  };
}

async function own() {
  const at = await opened();
  const file = (name, text) => at.page.own(new File([text], name));
  await ran(at, () => file("radio.trace", "1\n2\n3\n4\n8\n12\n"));
  const trace = at.page.text;
  await ran(at, () => file("ping.txt", "64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=31.5 ms\n64 bytes: icmp_seq=2 ttl=57 time=40.0 ms\n64 bytes: icmp_seq=3 time=42 ms\n"));
  const ping = at.page.text;
  const few = at.$("filters-box").hidden;
  const many = Array.from({ length: 80 }, (_, n) => `64 bytes: icmp_seq=${n} time=${20 + ((n * n) % 17) + (n % 13 === 0 ? 60 : 0)} ms\n`).join("");
  await at.page.own(new File([many], "many.txt"));
  const filters = [...at.$("filters").tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  const seen = !at.$("filters-box").hidden;
  await at.page.own(new File(["no such thing"], "letter.txt"));
  const told = at.$("banner").textContent;
  const { runner, lesson } = at.page;
  const judged = runner.timeouts.bind(runner);
  runner.timeouts = async (rtts) => {
    const late = await judged(rtts);
    await at.page.choose(lesson);
    return late;
  };
  await at.page.own(new File([many], "many.txt"));
  return { trace, ping, few, many, filters, seen, told, late: at.$("filters-box").hidden };
}

async function lessons() {
  const found = {};
  const { inner, page, $ } = await opened();
  for (const value of [...$("lesson").options].map((each) => each.value).filter(Boolean)) {
    await ran({ inner, page }, () => input($("lesson"), value, "change"));
    await until(() => page.lesson.id === value && page.drawn.toml === page.text, value);
    const pressed = [];
    for (const button of $("variants").children) {
      await ran({ inner, page }, () => button.click());
      pressed.push(button.getAttribute("aria-pressed"));
    }
    found[value] = { fault: $("fault").textContent, took: page.result.took, slider: !$("slide").disabled, pressed, glance: $("glance").childElementCount };
  }
  return found;
}

/** Plots that are shown and have no picture. */
function emptyPlots({ inner, page }) {
  const figures = [...inner.document.querySelectorAll("#plots figure.plot")].filter((figure) => !drawnOn(figure.querySelector("canvas")));
  return figures.map((figure) => `${page.lesson.id}: ${figure.dataset.panel}`);
}

/** Goes to a lesson and moves the cursor at once, while its first run is still under way. */
async function go(at, value) {
  await ran(at, () => {
    input(at.$("lesson"), value, "change");
    at.page.view.setCursor(1);
  });
  await until(() => at.page.lesson.id === value && at.page.drawn.toml === at.page.text, value);
  return emptyPlots(at);
}

/** Walks through all lessons at the width of a phone, there and back at that of a desktop, and straight from the first to each. */
async function walk() {
  const found = { empty: [], visited: [], wide: [] };
  const phone = await opened("", 390);
  const names = [...phone.$("lesson").options].map((each) => each.value).filter(Boolean);
  const visit = async (at, value, width) => {
    found.empty.push(...(await go(at, value)));
    found.visited.push(value);
    if (at.inner.document.documentElement.scrollWidth > width) found.wide.push(`${value} at ${width}`);
  };
  for (const value of names) await visit(phone, value, 390);
  const desktop = await opened("", 1280);
  for (const value of names) {
    await visit(desktop, value, 1280);
    for (const title of [...desktop.$("panels").querySelectorAll("[aria-pressed=false]")].map((chip) => chip.title)) {
      [...desktop.$("panels").children].find((chip) => chip.title === title).click();
    }
    await pause(50);
    found.empty.push(...emptyPlots(desktop));
  }
  for (const value of names.toReversed()) await visit(desktop, value, 1280);
  for (const value of names.slice(1)) await visit(await opened(), value, 1280);
  return found;
}

async function widths() {
  const found = {};
  for (const width of [390, 768, 1280, 1600]) {
    const { inner, $ } = await opened("", width);
    $("tab-toml").click();
    found[width] = inner.document.documentElement.scrollWidth;
  }
  return found;
}

/** Shows the page alone, and says so when it is there: until then a picture that is never loaded holds back the camera. */
async function show(fragment) {
  document.body.style.margin = 0;
  frame.style.height = `${asked.get("height")}px`;
  document.body.append(Object.assign(new Image(), { src: "wait", hidden: true }));
  await opened(fragment, Number(asked.get("width")));
  await pause(300);
}

const parts = { load, slide, follow, fault, share, own, lessons, walk, widths };
const found = {};
if (asked.has("shot")) await show(asked.get("shot"));
else for (const name of (asked.get("parts") ?? Object.keys(parts).join()).split(",")) {
  try {
    found[name] = await parts[name]();
  } catch (error) {
    found[name] = { failed: `${error.message} (${frame.contentDocument?.getElementById("status")?.textContent})` };
  }
}
await fetch("found", { method: "POST", body: JSON.stringify(found) });
