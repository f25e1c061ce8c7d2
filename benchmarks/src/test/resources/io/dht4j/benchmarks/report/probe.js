addEventListener('load', () => setTimeout(() => {
  // How many colours have many points: blank canvases have one, transparent.
  const colours = canvas => {
    const points = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const counts = new Map();
    points.forEach(point => counts.set(point, (counts.get(point) || 0) + 1));
    return [...counts.values()].filter(count => count > 20).length;
  };
  const canvases = [...document.querySelectorAll('canvas')];
  const texts = (chart, selector) => [...chart.querySelectorAll(selector)].map(part => part.textContent);
  const isCut = (chart, text) => {
    const edge = chart.getBoundingClientRect();
    const shown = text.getBoundingClientRect();
    return shown.left < edge.left - 1 || shown.right > edge.right + 1 || shown.bottom > edge.bottom + 1 || shown.top < edge.top - 1;
  };
  const seen = {
    charts: canvases.map(canvas => ({ label: canvas.getAttribute('aria-label'), colours: colours(canvas) })),
    bars: [...document.querySelectorAll('svg')].map(chart => ({
      label: texts(chart, 'title, desc').join(' '),
      variants: texts(chart, '.name'),
      cut: [...chart.querySelectorAll('text')].filter(text => isCut(chart, text)).map(text => text.textContent),
      colours: new Set([...chart.querySelectorAll('.bar')].map(bar => getComputedStyle(bar).stroke)).size
    })),
    hatched: document.querySelectorAll('.bar.doubted').length
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
