addEventListener('load', () => setTimeout(() => {
  // How many colours have many points: blank canvases have one, transparent.
  const colours = canvas => {
    const points = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    const counts = new Map();
    points.forEach(point => counts.set(point, (counts.get(point) || 0) + 1));
    return [...counts.values()].filter(count => count > 20).length;
  };
  parent.postMessage(JSON.stringify({
    problems: problems,
    width: innerWidth,
    scrollWidth: document.documentElement.scrollWidth,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    background: getComputedStyle(document.body).backgroundColor,
    charts: [...document.querySelectorAll('canvas')].map(canvas => ({ label: canvas.getAttribute('aria-label'), colours: colours(canvas) })),
    tables: document.querySelectorAll('table').length,
    links: [...document.querySelectorAll('a')].map(link => link.getAttribute('href')),
    text: document.body.innerText
  }), '*');
}, 100));
