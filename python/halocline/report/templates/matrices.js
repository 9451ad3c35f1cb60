// Who sends to whom: a matrix for each profile.
(() => {
  const { data, attempt } = halocline;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const units = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];
  const bytesText = (bytes) => {
    const [factor, unit] = units.find(([factor]) => bytes >= factor) ?? [1, "B"];
    return `${factor === 1 ? bytes : (bytes / factor).toPrecision(3)} ${unit}`;
  };
  const rgb = (name) => {
    const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  };

  // A canvas with a point for each cell, stretched by the browser: quick whatever the ranks.
  const matrix = (holder, { cells, width, ranks, at, bytes }) => {
    const canvas = document.createElement("canvas");
    const line = document.createElement("p");
    const span = (cell) => {
      const part = ranks.slice(cell * width, (cell + 1) * width);
      return part.length > 1 ? `ranks ${part[0]}–${part.at(-1)}` : `rank ${part[0]}`;
    };
    const rest = width > 1 ? `Each cell stands for ${width} × ${width} ranks. Point at one.` : "Point at a cell.";
    canvas.width = canvas.height = cells;
    line.textContent = rest;
    const made = (name, className, ...content) => {
      const element = document.createElement(name);
      element.className = className;
      element.append(...content);
      return element;
    };
    // A few ranks, by the middle of their cells.
    const ticks = (className, side) => {
      const step = Math.max(1, Math.ceil(cells / 8));
      const shown = Array.from({ length: Math.ceil(cells / step) }, (_, i) => i * step);
      return made("div", className, ...shown.map((cell) => {
        const tick = made("span", "tick", `${ranks[cell * width]}`);
        tick.style[side] = `${(100 * (cell + 0.5)) / cells}%`;
        return tick;
      }));
    };
    const scale = made("p", "scale");
    holder.append(
      made("div", "plot",
        made("span", "title down", "sending rank"), ticks("ticks down", "top"), canvas,
        ticks("ticks across", "left"), made("span", "title across", "receiving rank")),
      scale, line);
    const found = new Map(at.map((cell, i) => [cell, bytes[i]]));
    const most = Math.log(bytes.reduce((a, b) => Math.max(a, b), 1));
    // At least three decades, so that what hardly differs looks alike.
    const least = Math.min(most - Math.log(1000), Math.log(bytes.reduce((a, b) => Math.min(a, b), Infinity)));
    scale.append(
      made("i", "nothing"), "nothing", made("span", "from", bytesText(Math.max(1, Math.round(Math.exp(least))))),
      made("i", "ramp"), bytesText(Math.round(Math.exp(most))));
    const paint = () => {
      const context = canvas.getContext("2d");
      const image = context.createImageData(cells, cells);
      const [empty, low, high] = [rgb("panel"), rgb("heat-0"), rgb("series-0")];
      for (let cell = 0; cell < cells * cells; cell++) {
        const here = found.get(cell);
        const share = (Math.log(here) - least) / (most - least);
        const colour = here === undefined ? empty : low.map((from, i) => from + share * (high[i] - from));
        image.data.set([...colour, 255], 4 * cell);
      }
      context.putImageData(image, 0, 0);
    };
    canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
      const column = Math.min(cells - 1, Math.floor((offsetX / canvas.clientWidth) * cells));
      const row = Math.min(cells - 1, Math.floor((offsetY / canvas.clientHeight) * cells));
      line.textContent = `${span(row)} → ${span(column)}: ${bytesText(found.get(row * cells + column) ?? 0)}`;
    });
    canvas.addEventListener("pointerleave", () => { line.textContent = rest; });
    dark.addEventListener("change", paint);
    paint();
  };

  for (const [name, content] of Object.entries(data.matrices)) {
    const holder = document.getElementById(`figure-${name}`);
    attempt(holder, () => matrix(holder, content));
  }
})();
