// The charts of the sections: nothing to choose, drawn once and when the width changes.
(() => {
  const { data, curvesLayout, cellsLayout, barsLayout, embed, onWidth } = halocline;
  const views = new Map();
  const draw = async (name, { panels, specification: wanted }) => {
    const holder = document.getElementById(`figure-${name}`);
    const specification = structuredClone(wanted);
    const rows = specification.spec.layer[0].encoding.y.field;
    if (rows === "protocol") cellsLayout(specification, holder.clientWidth, Object.values(specification.datasets)[0]);
    else if (rows === "way") barsLayout(specification, holder.clientWidth);
    else curvesLayout(specification, holder.clientWidth, panels);
    views.get(name)?.finalize();
    views.set(name, await embed(holder, specification));
  };
  let drawing = Promise.resolve();
  onWidth(() => {
    drawing = drawing.then(async () => {
      for (const [name, chart] of Object.entries(data.charts)) await draw(name, chart);
      document.documentElement.dataset.charts = "drawn";
    });
  });
})();
