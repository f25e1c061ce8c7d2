addEventListener('load', () => setTimeout(() => {
  // How many colours have many points: blank canvases have one, transparent.
  const colours = canvas => {
    const points = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const counts = new Map();
    points.forEach(point => counts.set(point, (counts.get(point) || 0) + 1));
    return [...counts.values()].filter(count => count > 20).length;
  };
  const chartOf = canvas => Chart.getChart(canvas);
  const canvases = [...document.querySelectorAll('canvas')];
  const seen = {
    charts: canvases.map(canvas => ({ label: canvas.getAttribute('aria-label'), colours: colours(canvas) })),
    bars: canvases.length ? chartOf(canvases[0]).data.labels.map(lines => lines.join('')) : [],
    hatched: canvases.flatMap(canvas => chartOf(canvas).data.datasets)
      .flatMap(set => set.backgroundColor).filter(ink => ink instanceof CanvasPattern).length
  };
  const state = { dark: matchMedia('(prefers-color-scheme: dark)').matches, background: getComputedStyle(document.body).backgroundColor };
  dispatchEvent(new Event('beforeprint'));
  const printed = { background: getComputedStyle(document.body).backgroundColor, charts: document.querySelectorAll('canvas').length,
    widest: Math.max(0, ...[...document.querySelectorAll('canvas')].map(canvas => canvas.clientWidth)) };
  dispatchEvent(new Event('afterprint'));
  parent.postMessage(JSON.stringify({
    problems: problems,
    width: innerWidth,
    scrollWidth: document.documentElement.scrollWidth,
    ...state,
    ...seen,
    printed: printed,
    loads: [...document.querySelectorAll('[data-levels]')].map(select => select.value),
    whole: [...document.querySelectorAll('.whole')].map(part => part.textContent),
    broken: [...document.querySelectorAll('.whole')].filter(part => part.getClientRects().length > 1).length,
    tables: document.querySelectorAll('table').length,
    links: [...document.querySelectorAll('a')].map(link => link.getAttribute('href')),
    text: document.body.innerText
  }), '*');
}, 100));
