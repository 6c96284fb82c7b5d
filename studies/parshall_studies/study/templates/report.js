// The page is whole without this script: it only hides, shows and enlarges.

// Of each picker's figures the one that is chosen is shown. A link to another one chooses it.
for (const picker of document.querySelectorAll(".picker")) {
  const select = picker.querySelector("select");
  const figures = [...picker.querySelectorAll("figure")];
  const show = () => { for (const figure of figures) figure.hidden = figure.id !== select.value; };
  const follow = () => {
    const linked = figures.find((figure) => "#" + figure.id === location.hash);
    if (linked) { select.value = linked.id; show(); linked.scrollIntoView(); }
  };
  select.addEventListener("change", show);
  addEventListener("hashchange", follow);
  picker.querySelector(".pick").hidden = false;
  show();
  follow();
}

// A figure is enlarged by its button, or by a click on the drawing.
const large = document.querySelector("dialog.large");
const close = () => large.close();
for (const figure of document.querySelectorAll("figure")) {
  const button = figure.querySelector(".enlarge");
  const enlarge = () => {
    large.lastElementChild.replaceChildren(figure.querySelector("svg").cloneNode(true));
    large.showModal();
  };
  button.hidden = false;
  button.addEventListener("click", enlarge);
  figure.querySelector(".drawing").addEventListener("click", enlarge);
}
large.querySelector(".close").addEventListener("click", close);
large.addEventListener("click", (event) => { if (event.target === large) close(); });

// Claims by verdict and by words. Topics open where the choice finds something.
const filter = document.querySelector("form.filter");
const boxes = [...filter.querySelectorAll("input[type=checkbox]")];
const search = filter.querySelector("input[type=search]");
const topics = [...document.querySelectorAll("details.topic")];
const initially = new Map(topics.map((topic) => [topic, topic.open]));
const rows = (topic) => topic.dataset.table ? document.querySelectorAll(`#${topic.dataset.table}-table tr[data-claim]`) : [];
const choose = () => {
  const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = words.length > 0 || verdicts.size < boxes.length;
  let [shown, inTables] = [0, 0];
  for (const topic of topics) {
    let found = 0;
    for (const claim of topic.querySelectorAll(".claim")) {
      const text = (claim.textContent + " " + claim.dataset.claim).toLowerCase();
      claim.hidden = !(verdicts.has(claim.dataset.grade) && words.every((word) => text.includes(word)));
      if (!claim.hidden) found += 1;
    }
    for (const row of rows(topic)) {
      const text = row.textContent.toLowerCase() + " " + row.dataset.claim;
      row.hidden = !(verdicts.has(row.dataset.grade) && words.every((word) => text.includes(word)));
      if (!row.hidden) [found, inTables] = [found + 1, inTables + 1];
    }
    topic.hidden = chosen && found === 0;
    topic.open = chosen ? found > 0 : initially.get(topic);
    shown += found;
  }
  filter.querySelector("output").textContent = chosen ? `${shown} shown, ${inTables} of them in their tables` : "";
};
filter.hidden = false;
filter.addEventListener("input", choose);
filter.addEventListener("submit", (event) => event.preventDefault());

// A link into a folded topic opens it; on paper everything is open.
const open = () => { document.querySelector(`details${location.hash || "#none"}`)?.setAttribute("open", ""); };
addEventListener("hashchange", open);
addEventListener("beforeprint", () => { for (const topic of topics) topic.open = true; });
open();
