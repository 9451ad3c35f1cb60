(() => {
  const { data, arrange, attempt, embed, onWidth } = halocline;
  const names = Object.keys(data.columns);
  const rows = data.columns[names[0]].map((_, i) => {
    const row = {};
    for (const name of names) if (data.columns[name][i] !== null) row[name] = data.columns[name][i];
    return row;
  });
  const unique = (values) => [...new Set(values)];
  const sizes = unique(rows.map((row) => row.bytes)).sort((a, b) => a - b);
  const sizeLabels = new Map(rows.map((row) => [row.bytes, row.size]));

  const form = document.getElementById("controls");
  const status = document.getElementById("status");
  const slider = document.getElementById("readout-slider");
  const views = new Map();

  const chosen = () => {
    const values = new FormData(form);
    return {
      workload: values.get("workload"),
      series: values.getAll("series"),
      protocols: values.getAll("protocol"),
    };
  };
  const chosenBytes = () => sizes[Number(slider.value)];

  const ofAnyProtocol = () => {
    const { workload, series } = chosen();
    return rows.filter((row) => row.workload === workload && series.includes(row.series));
  };
  const selected = () => {
    const { protocols } = chosen();
    return ofAnyProtocol().filter((row) => protocols.includes(row.protocol));
  };

  const curves = ["latency", "bandwidth"];
  const point = (view) => view.signal("chosen_bytes", chosenBytes()).runAsync();
  const fields = { bandwidth: "bandwidth", libraries: "lead" };

  const draw = async (name, holder, shown) => {
    const width = holder.clientWidth;
    if (!width) return; // folded
    const specification = structuredClone(data.figures[name]);
    const protocols = unique(shown.map((row) => row.protocol)).length;
    arrange(specification, width, protocols, shown);
    const drawn = (name === "libraries" ? ofAnyProtocol() : shown).filter(
      (row) => (fields[name] ?? "time") in row
    );
    specification.datasets = { [data.dataset]: drawn };
    views.get(name)?.finalize();
    const result = await embed(holder, specification);
    views.set(name, result);
    if (curves.includes(name)) await point(result.view);
  };

  const element = (tag, text, attributes = {}) => {
    const made = document.createElement(tag);
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };

  const readout = () => {
    const at = selected().filter((row) => row.bytes === chosenBytes());
    const series = unique(selected().map((row) => row.series));
    const protocols = unique(selected().map((row) => row.protocol));
    const label = sizeLabels.get(chosenBytes());
    document.getElementById("readout-size").textContent = label;
    slider.setAttribute("aria-valuetext", label);
    const table = document.getElementById("readout-table");
    const head = element("tr", "");
    head.append(element("th", "protocol", { scope: "col" }));
    for (const name of series) head.append(element("th", name, { scope: "col", class: "num" }));
    const fastest = new Map(
      series.map((name) => [
        name,
        Math.min(...at.filter((row) => row.series === name).map((row) => row.time)),
      ])
    );
    const lines = protocols.map((protocol) => {
      const line = element("tr", "");
      line.append(element("th", protocol, { scope: "row" }));
      for (const name of series) {
        const row = at.find((each) => each.series === name && each.protocol === protocol);
        const cell = element("td", row ? "" : "–");
        if (row) {
          if (row.time === fastest.get(name)) cell.className = "fastest";
          cell.append(`${row.time_text} `, element("i", row.interval));
          cell.append(element("small", row.bandwidth_text ?? ""));
        }
        line.append(cell);
      }
      return line;
    });
    const caption = element("caption", `${chosen().workload}; ● is each library’s fastest`);
    const top = element("thead", "");
    top.append(head);
    const body = element("tbody", "");
    body.append(...lines);
    table.replaceChildren(caption, top, body);
  };

  const show = async () => {
    const shown = selected();
    const { workload, series, protocols } = chosen();
    readout();
    if (shown.length === 0) {
      for (const name of Object.keys(data.figures)) {
        views.get(name)?.finalize();
        views.delete(name);
        document.getElementById(`figure-${name}`).textContent = "Nothing chosen.";
      }
      status.textContent = "Nothing to show: choose a library and a protocol.";
      return;
    }
    for (const name of Object.keys(data.figures)) {
      const holder = document.getElementById(`figure-${name}`);
      await attempt(holder, () => draw(name, holder, shown));
    }
    status.textContent =
      `${workload}: ${series.length} of ${form.elements.series.length ?? 1} libraries, ` +
      `${protocols.length} of ${form.elements.protocol.length ?? 1} protocols, ${shown.length} points`;
  };

  // One drawing at a time: later requests are drawn once, afterwards.
  let drawing = false;
  let again = false;
  const update = async () => {
    again = drawing;
    if (drawing) return;
    drawing = true;
    await show();
    drawing = false;
    if (again) await update();
    document.documentElement.dataset.drawn = "yes";
  };

  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", (event) => {
    const { all, none } = event.target.dataset;
    const group = all ?? none;
    if (!group) return;
    for (const box of form.querySelectorAll(`input[name="${group}"]`)) box.checked = Boolean(all);
    update();
  });
  slider.addEventListener("input", () => {
    readout();
    for (const [name, { view }] of views) if (curves.includes(name)) point(view);
  });

  form.hidden = false;
  document.getElementById("readout").hidden = false;
  slider.value = String(Math.max(0, sizes.indexOf(8)));
  onWidth(update, () => {
    const holders = Object.keys(data.figures).filter((name) => !views.has(name));
    if (holders.some((name) => document.getElementById(`figure-${name}`).clientWidth)) update();
  });
})();
