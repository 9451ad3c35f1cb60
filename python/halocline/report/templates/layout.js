"use strict";
// What all figures share: the data, their layout by the width there is, and how they are drawn.
const halocline = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);

  const layersOf = (specification) => (specification.spec ?? specification).layer ?? [];
  const legendOf = (specification) =>
    [...layersOf(specification), specification].find((each) => each.encoding?.color?.scale?.domain);
  const longestOf = (names) => Math.max(0, ...names.map((name) => name.length));

  // A legend takes as many columns as there is room for; a name that is wider than all is cut.
  const legendLayout = (specification, width) => {
    const names = legendOf(specification)?.encoding.color.scale.domain;
    if (!names) return;
    const columns = Math.max(1, Math.floor(width / (7 * longestOf(names) + 40)));
    const legend = { ...specification.config.legend, columns, labelLimit: width - 60 };
    specification.config = { ...specification.config, legend };
    for (const { encoding } of [...layersOf(specification), specification]) {
      if (!encoding?.color?.legend) continue;
      delete encoding.color.legend.columns; // for files, which have one width
      delete encoding.color.legend.labelLimit;
    }
  };
  // The width of row names where the specification sets its own width.
  const leftOf = ({ encoding }, rows) => {
    if (encoding?.y?.type !== "nominal") return 0;
    const names = rows.map((row) => row[encoding.y.field] ?? "");
    return Math.min(encoding.y.axis?.labelLimit ?? 180, 6.6 * longestOf(names));
  };
  const headerLayout = (specification, labelLimit) => {
    specification.config.header = { ...specification.config.header, labelLimit };
  };

  // Panels as wide as the page allows: one panel is large, eight are small.
  const curvesLayout = (specification, width, panels) => {
    const most = width >= 1000 ? 4 : width >= 700 ? 3 : width >= 320 ? 2 : 1;
    const fuller = most - 1;
    const gaps = (columns) => (columns - (panels % columns)) % columns;
    const wanted = panels > most && fuller > 1 && gaps(fuller) < gaps(most) ? fuller : most;
    // A panel is as wide as its name, as far as that leaves room for two.
    const named = 6.8 * longestOf(specification.facet.sort ?? []);
    const readable = Math.max(width >= 700 ? 2 : 1, Math.floor((width - 44) / (named + 22)));
    const columns = Math.max(1, Math.min(wanted, panels, readable));
    specification.columns = columns;
    const panel = Math.max(120, Math.floor((width - 66 - 22 * (columns - 1)) / columns));
    specification.spec.width = panel;
    specification.spec.height = Math.round(Math.min(330, Math.max(140, panel * 0.72)));
    // Where the last row is not full, the panels above its gap need an axis too.
    if (panels % columns) specification.resolve = { axis: { x: "independent" } };
    headerLayout(specification, panel);
  };
  const cellsLayout = (specification, width, rows) => {
    const protocols = [...new Set(rows.map((row) => row.protocol))];
    const cells = new Set(rows.map((row) => row.size)).size;
    const longest = Math.min(180, 6.3 * longestOf(protocols));
    specification.spec.width = Math.max(120, width - 34 - longest);
    specification.spec.height = 23 * protocols.length;
    if (specification.spec.width / cells < 27) {
      const numbers = specification.spec.layer[1];
      numbers.transform[0].calculate = numbers.transform[0].calculate.replace(/ : .*$/, " : ''");
    }
    headerLayout(specification, width - 20);
  };

  // A name in lines of at most so many letters; longer words are broken.
  const linesOf = (name, most) => {
    const lines = [];
    const words = name.match(new RegExp(`\\S{1,${most}}`, "g")) ?? [];
    for (const word of words) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + word.length < most) lines[lines.length - 1] += ` ${word}`;
      else lines.push(word);
    }
    return lines;
  };

  // A row for each name, which stands at its left with half of the width at most: where it is
  // longer, its words stand in lines.
  const barsLayout = (specification, width, axis, names) => {
    const letters = (share) => Math.floor((share * width - 8) / 6.6);
    const word = longestOf(names.flatMap((name) => name.split(" ")));
    const most = Math.min(Math.max(letters(0.5), word + 1), letters(0.6));
    const broken =
      longestOf(names) > letters(0.5) ? names.map((name) => linesOf(name, most)) : [];
    const parts = broken.length ? broken.flat() : names;
    const longest = Math.min(axis.labelLimit ?? 180, 0.6 * width, 6.6 * longestOf(parts) + 8);
    axis.labelLimit = longest;
    const one = specification.spec ?? specification;
    one.width = Math.max(120, width - 40 - longest);
    const lines = Math.max(1, ...broken.map((each) => each.length));
    if (lines > 1) {
      // In half lines: shorter names are centred.
      const blank = "\u200b"; // an empty line would not move the next
      const padded = (each) => [
        ...Array(lines - each.length).fill(blank),
        ...each.flatMap((line, at) => (at ? [blank, line] : [line])),
      ];
      const byName = Object.fromEntries(names.map((name, at) => [name, padded(broken[at])]));
      axis.labelExpr = `(${JSON.stringify(byName)})[datum.label]`;
      axis.labelLineHeight = 6;
      axis.labelOffset = -6 * (lines - 1);
      const step = 12 * lines + 8;
      one.height = one.height?.step ? { step } : Math.max(one.height ?? 0, names.length * step);
    }
    headerLayout(specification, width - 20);
  };

  // A map keeps its shape, and stays small enough to be seen whole.
  const mapLayout = (specification, width) => {
    const { aspect, most } = specification.usermeta;
    specification.width = Math.max(180, Math.min(most, width - 76));
    specification.height = Math.round(specification.width * aspect);
  };

  // By what stands on the y axis: protocols make a grid, other names rows, numbers curves.
  const arrange = (specification, width, panels, rows) => {
    specification.config = { ...specification.config };
    if (specification.width === "container") {
      legendLayout(specification, width - leftOf(specification, rows));
      return; // takes its place's width by itself
    }
    legendLayout(specification, width);
    const named = layersOf(specification)
      .map((layer) => layer.encoding?.y)
      .filter((y) => y?.type === "nominal");
    if (named.length) {
      const { field } = named[0];
      if (field === "protocol") cellsLayout(specification, width, rows);
      else {
        const names = [...new Set(rows.map((row) => row[field]))];
        for (const { axis } of named) if (axis) barsLayout(specification, width, axis, names);
      }
    } else if (specification.usermeta?.aspect) mapLayout(specification, width);
    else if (specification.spec) curvesLayout(specification, width, panels);
    else specification.width = Math.max(180, width - 76);
  };

  const embed = (holder, specification) =>
    vegaEmbed(holder, specification, {
      actions: false,
      renderer: "svg",
      tooltip: { theme: "custom" },
    });

  // A figure that fails says so in its place, and the others are drawn.
  const attempt = async (holder, draw) => {
    try {
      await draw();
    } catch (error) {
      console.error(`${holder.id}: ${error.stack ?? error}`);
      holder.textContent = `This figure could not be drawn: ${error.message}.`;
    }
  };

  // Draws now, whenever the page has become wider or narrower, and when something is unfolded.
  const onWidth = (redraw, onUnfolded = redraw) => {
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
    document.addEventListener("toggle", onUnfolded, true);
    fit();
  };

  // A link into something folded unfolds it.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let each = target?.closest("details"); each; each = each.parentElement.closest("details"))
      each.open = true;
    target?.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();
  return { data, arrange, attempt, embed, onWidth };
})();
