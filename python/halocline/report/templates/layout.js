"use strict";
// What all figures share: the data, their layout by the width there is, and how they are drawn.
const halocline = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);

  // Panels as wide as the page allows: one panel is large, eight are small.
  const curvesLayout = (specification, width, panels) => {
    const most = width >= 1000 ? 4 : width >= 700 ? 3 : width >= 480 ? 2 : 1;
    const fuller = most - 1;
    const gaps = (columns) => (columns - (panels % columns)) % columns;
    const wanted = panels > most && fuller > 1 && gaps(fuller) < gaps(most) ? fuller : most;
    const columns = Math.max(1, Math.min(wanted, panels));
    specification.columns = columns;
    const panel = Math.floor((width - 66 - 22 * (columns - 1)) / columns);
    specification.spec.width = Math.max(150, panel);
    specification.spec.height = Math.round(Math.min(380, Math.max(165, panel * 0.72)));
    // Where the last row is not full, the panels above its gap need an axis too.
    if (panels % columns) specification.resolve = { axis: { x: "independent" } };
    // A legend with long names takes as many columns as there is room for.
    const names = specification.spec.layer.find((each) => each.encoding?.color?.scale?.domain);
    const longest = Math.max(...names.encoding.color.scale.domain.map((name) => name.length));
    const legend = { ...specification.config.legend };
    legend.columns = Math.max(1, Math.floor(width / (7 * longest + 40)));
    legend.labelLimit = 0;
    specification.config = { ...specification.config, legend };
  };
  const cellsLayout = (specification, width, rows) => {
    const protocols = new Set(rows.map((row) => row.protocol));
    const cells = new Set(rows.map((row) => row.size)).size;
    const longest = Math.min(180, 6.3 * Math.max(...[...protocols].map((name) => name.length)));
    specification.spec.width = Math.max(120, width - 34 - longest);
    specification.spec.height = 23 * protocols.size;
    if (specification.spec.width / cells < 27) {
      const numbers = specification.spec.layer[1];
      numbers.transform[0].calculate = numbers.transform[0].calculate.replace(/ : .*$/, " : ''");
    }
  };

  // A row for each name, which stands at its left.
  const barsLayout = (specification, width) => {
    const longest = specification.spec.layer[0].encoding.y.axis.labelLimit;
    specification.spec.width = Math.max(120, width - 34 - longest);
  };

  const embed = (holder, specification) =>
    vegaEmbed(holder, specification, {
      actions: false,
      renderer: "svg",
      tooltip: { theme: "custom" },
    });

  // Draws now, and again whenever the page has become wider or narrower.
  const onWidth = (redraw) => {
    let width = 0;
    let waiting = 0;
    const fit = () => {
      const now = document.querySelector("main").clientWidth;
      if (now === width) return;
      width = now;
      redraw();
    };
    addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(fit, 150);
    });
    fit();
  };
  return { data, curvesLayout, cellsLayout, barsLayout, embed, onWidth };
})();
