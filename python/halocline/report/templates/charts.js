// The charts of the sections: nothing to choose, drawn once, and again when the width changes.
(() => {
  const { data, arrange, attempt, embed, onWidth } = halocline;
  const views = new Map();
  const widths = new Map();
  const draw = async (name, holder, { panels, specification: wanted }) => {
    const width = holder.clientWidth;
    if (!width || widths.get(name) === width) return; // folded, or drawn already
    widths.set(name, width);
    const specification = structuredClone(wanted);
    const rows = specification.data.values ?? specification.datasets[specification.data.name];
    arrange(specification, width, panels, rows);
    views.get(name)?.finalize();
    views.set(name, await embed(holder, specification));
  };
  let drawing = Promise.resolve();
  onWidth(() => {
    drawing = drawing.then(async () => {
      for (const [name, chart] of Object.entries(data.charts)) {
        const holder = document.getElementById(`figure-${name}`);
        await attempt(holder, () => draw(name, holder, chart));
      }
      document.documentElement.dataset.charts = "drawn";
    });
  });
})();
