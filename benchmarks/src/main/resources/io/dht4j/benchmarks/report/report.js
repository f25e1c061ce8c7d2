(function () {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const charts = [];
  let printing = false;

  // Okabe and Ito's colours and neighbours of theirs, distinct with any kind of colour vision. Dashes and marks help.
  const light = ['#0072b2', '#d55e00', '#007a5e', '#b0508a', '#8a6d00', '#2f9bd6', '#5b3fa0', '#555b62', '#a11d33', '#3f7f1f', '#7a4b2a', '#00808a', '#d79a00', '#9aa0a8'];
  const bright = ['#4ea6e0', '#ff8a3d', '#2fc79d', '#e08cc0', '#e8c330', '#8fd0f7', '#a994ee', '#b4bcc6', '#f0788a', '#8fce5f', '#cd9b74', '#4fd0d8', '#fff0a8', '#7d8590'];
  const dashes = [[], [8, 3], [2, 3], [10, 3, 2, 3], [5, 5], [14, 4]];
  const marks = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star'];

  function theme() {
    const style = getComputedStyle(document.documentElement);
    const value = name => style.getPropertyValue(name).trim();
    return { text: value('--text'), muted: value('--muted'), line: value('--line'), page: value('--page'), colours: dark.matches && !printing ? bright : light };
  }
  const colour = (t, index) => t.colours[index % t.colours.length];
  const variant = name => data.variants.indexOf(name);
  const isNarrow = () => innerWidth < 640 && !printing;

  function number(value) {
    const size = Math.abs(value);
    return value.toLocaleString('en', size >= 100 || value === 0 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
  }
  function micros(value) {
    return value < 1e3 ? number(value) + ' µs' : value < 1e6 ? number(value / 1e3) + ' ms' : number(value / 1e6) + ' s';
  }
  // 10 stands for the slowest tenth: 90 %; 100 for 99 %.
  function percentile(x) {
    const share = 100 * (1 - 1 / x);
    return +share.toFixed(Math.max(0, Math.ceil(Math.log10(x) - 1.999))) + ' %';
  }
  // A name in lines that leave room for the bars.
  function lines(text) {
    const most = isNarrow() ? 14 : 28;
    const all = [];
    text.split(/(?<=[ ,-])/).forEach(word => {
      const last = all.length - 1;
      if (last >= 0 && (all[last] + word).trim().length <= most) { all[last] += word; } else { all.push(word); }
    });
    return all.map(line => line.trim());
  }

  // Figures stay beside their units, and names and options on one line, where there is room.
  function keepWhole(sentence) {
    const parts = sentence.textContent.split(/([\d.,]+ [µmn]?s\b|--\w+ \d+|[\w-]*\w-\w[\w-]*)/);
    sentence.replaceChildren(...parts.map((part, index) => {
      if (index % 2 === 0 || part.length > 28) { return part; }
      const whole = document.createElement('span');
      whole.className = 'whole';
      whole.textContent = part;
      return whole;
    }));
  }

  // Stripes of a colour, for what is doubted.
  function hatched(t, ink) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 8;
    const context = tile.getContext('2d');
    context.fillStyle = t.page;
    context.fillRect(0, 0, 8, 8);
    context.strokeStyle = ink;
    context.lineWidth = 2.5;
    [-8, 0, 8].forEach(x => {
      context.beginPath();
      context.moveTo(x - 1, 9); context.lineTo(x + 9, -1);
      context.stroke();
    });
    return context.createPattern(tile, 'repeat');
  }

  function scale(t, more) {
    return Object.assign({ grid: { color: t.line }, border: { color: t.muted }, ticks: { color: t.text } }, more);
  }
  function title(t, text) {
    return { display: true, text: text, color: t.muted };
  }

  // Draws the range of the repetitions, and each of them.
  const ranges = {
    id: 'ranges',
    afterDatasetsDraw(chart, args, options) {
      const x = chart.scales.x;
      const context = chart.ctx;
      context.save();
      context.strokeStyle = options.colour;
      context.fillStyle = options.page;
      context.lineWidth = 1.5;
      chart.getDatasetMeta(0).data.forEach((bar, i) => {
        const shown = options.bars[i];
        const from = x.getPixelForValue(shown.least);
        const to = x.getPixelForValue(shown.greatest);
        const end = Math.min(7, bar.height / 2);
        context.beginPath();
        context.moveTo(from, bar.y); context.lineTo(to, bar.y);
        context.moveTo(from, bar.y - end); context.lineTo(from, bar.y + end);
        context.moveTo(to, bar.y - end); context.lineTo(to, bar.y + end);
        context.stroke();
        shown.values.forEach(value => {
          context.beginPath();
          context.arc(x.getPixelForValue(value), bar.y, 3, 0, 2 * Math.PI);
          context.fill();
          context.stroke();
        });
      });
      context.restore();
    }
  };

  function bars(t, shown, unit, more) {
    const inks = shown.map(bar => colour(t, variant(bar.variant)));
    return {
      type: 'bar',
      plugins: [ranges],
      data: {
        labels: shown.map(bar => lines(bar.variant)),
        datasets: [{
          data: shown.map(bar => bar.median),
          backgroundColor: shown.map((bar, i) => bar.doubted ? hatched(t, inks[i]) : inks[i]),
          borderColor: inks,
          borderWidth: shown.map(bar => bar.doubted ? 1.5 : 0),
          maxBarThickness: 26
        }]
      },
      options: {
        indexAxis: 'y',
        scales: {
          x: scale(t, {
            beginAtZero: true,
            suggestedMax: 1.03 * Math.max(...shown.map(bar => bar.greatest)),
            title: Object.assign(title(t, unit), more),
            ticks: { color: t.text, maxRotation: 0, maxTicksLimit: more || isNarrow() ? 5 : 11, callback: number }
          }),
          y: scale(t, { grid: { display: false }, ticks: { color: t.text, autoSkip: false } })
        },
        plugins: {
          legend: { display: false },
          ranges: { colour: t.text, page: t.page, bars: shown },
          tooltip: {
            callbacks: {
              title: items => shown[items[0].dataIndex].variant,
              label: item => {
                const bar = shown[item.dataIndex];
                return number(bar.median) + ' (' + number(bar.least) + ' to ' + number(bar.greatest) + ') ' + unit
                  + (bar.doubted ? ', doubted' : '');
              }
            }
          }
        }
      }
    };
  }

  function latency(t, group) {
    const select = document.querySelector('[data-levels="' + group.id + '"]');
    const level = group.latencies.find(one => String(one.percent) === select.value);
    const longest = Math.max(10, ...level.lines.flatMap(line => line.points.map(point => point[0])));
    return {
      type: 'line',
      data: {
        datasets: level.lines.map(line => {
          const index = variant(line.variant);
          return {
            label: line.variant + (line.perSecond ? ', ' + number(line.perSecond) + '/s' : ', closed loop'),
            data: line.points.map(point => ({ x: point[0], y: Math.max(point[1], 0.1) })),
            borderColor: colour(t, index),
            backgroundColor: colour(t, index),
            borderDash: dashes[index % dashes.length],
            borderWidth: 2,
            pointStyle: marks[index % marks.length],
            pointRadius: at => at.dataIndex % 8 === index % 8 ? 4 : 0,
            pointHoverRadius: 5,
            tension: 0
          };
        })
      },
      options: {
        interaction: { mode: 'nearest', intersect: false },
        scales: {
          x: scale(t, {
            type: 'logarithmic',
            min: 1,
            max: longest,
            title: title(t, 'percentile'),
            afterBuildTicks: axis => {
              const at = isNarrow() ? [1] : [1, 2, 4];
              for (let x = 10; x <= longest; x *= 10) { at.push(x); }
              axis.ticks = at.filter(x => x <= longest).map(value => ({ value: value }));
            },
            ticks: { color: t.text, autoSkip: false, maxRotation: isNarrow() ? 60 : 0, callback: percentile }
          }),
          y: scale(t, {
            type: 'logarithmic',
            title: title(t, 'latency'),
            ticks: { color: t.text, callback: value => /^[125]/.test(value.toExponential()) ? micros(value) : '' }
          })
        },
        plugins: {
          legend: { position: 'bottom', labels: { color: t.text, usePointStyle: true } },
          tooltip: {
            callbacks: {
              title: items => items.length ? percentile(items[0].parsed.x) : '',
              label: item => item.dataset.label + ': ' + micros(item.parsed.y)
            }
          }
        }
      }
    };
  }

  // Latency against throughput: p99 and p50 of each variant, over what it served at rising rates.
  function curves(t, group) {
    const line = (curve, figure) => {
      const index = variant(curve.variant);
      const isTail = figure === 'p99';
      const size = isNarrow() ? 3 : 4;
      return {
        label: curve.variant,
        figure: figure,
        points: curve.points,
        data: curve.points.map(point => ({ x: point.served, y: Math.max(point[figure], 0.1) })),
        borderColor: colour(t, index),
        backgroundColor: curve.points.map(point => point.knee ? t.page : colour(t, index)),
        borderDash: isTail ? [] : [4, 4],
        borderWidth: isTail ? 2 : 1.5,
        pointStyle: marks[index % marks.length],
        pointRadius: curve.points.map(point => point.knee && isTail ? 2 * size : isTail ? size : size / 2),
        pointBorderWidth: curve.points.map(point => point.knee ? 2.5 : 1),
        pointHoverRadius: 2 * size,
        tension: 0
      };
    };
    return {
      type: 'line',
      data: { datasets: group.curves.flatMap(curve => [line(curve, 'p99'), line(curve, 'p50')]) },
      options: {
        interaction: { mode: 'nearest', intersect: false },
        scales: {
          x: scale(t, {
            type: 'linear',
            beginAtZero: true,
            title: title(t, 'served, operations/s'),
            ticks: { color: t.text, maxRotation: 0, maxTicksLimit: isNarrow() ? 5 : 11, callback: number }
          }),
          y: scale(t, {
            type: 'logarithmic',
            title: title(t, 'latency'),
            ticks: { color: t.text, callback: value => /^[125]/.test(value.toExponential()) ? micros(value) : '' }
          })
        },
        plugins: {
          legend: {
            position: 'bottom',
            labels: {
              color: t.text,
              usePointStyle: true,
              filter: (item, all) => all.datasets[item.datasetIndex].figure === 'p99',
              // The mark of a knee is hollow, that of the legend is not.
              generateLabels: chart => Chart.defaults.plugins.legend.labels.generateLabels(chart)
                .map(item => Object.assign(item, { fillStyle: item.strokeStyle }))
            }
          },
          tooltip: {
            callbacks: {
              title: items => items.length ? items[0].dataset.label : '',
              label: item => {
                const point = item.dataset.points[item.dataIndex];
                return number(point.served) + '/s of ' + number(point.offered) + '/s offered: p50 ' + micros(point.p50)
                  + ', p99 ' + micros(point.p99);
              }
            }
          }
        }
      }
    };
  }

  function attribution(t, group, event) {
    const profile = group.attributions.find(one => one.event === event);
    return {
      type: 'bar',
      data: {
        labels: profile.rows.map(row => lines(row.variant)),
        datasets: profile.layers.map((layer, i) => ({
          label: layer,
          data: profile.rows.map(row => row.percents[i]),
          backgroundColor: colour(t, data.layers.indexOf(layer)),
          borderColor: t.page,
          borderWidth: 1,
          borderSkipped: false,
          maxBarThickness: 26
        }))
      },
      options: {
        indexAxis: 'y',
        interaction: { mode: 'nearest', intersect: true },
        scales: {
          x: scale(t, { stacked: true, min: 0, max: 100, ticks: { color: t.text, maxRotation: 0, callback: value => value + ' %' } }),
          y: scale(t, { stacked: true, grid: { display: false }, ticks: { color: t.text, autoSkip: false } })
        },
        plugins: {
          legend: { position: 'bottom', labels: { color: t.text, boxWidth: 14 } },
          tooltip: { callbacks: { label: item => item.dataset.label + ': ' + item.parsed.x.toFixed(1) + ' %' } }
        }
      }
    };
  }

  const costOf = (group, holder) => group.costs.find(one => one.name === holder.dataset.cost);

  function words(kind, group, holder) {
    const caption = holder.parentElement.querySelector('figcaption').textContent;
    return kind === 'latency' ? group.name + ': latency by percentile of each variant'
      : kind === 'curves' ? group.name + ': p50 and p99 of latency against throughput of each variant'
      : kind === 'attribution' ? group.name + ': share of each layer in the ' + holder.dataset.event + ' profile of each variant'
        : kind === 'key' ? caption + ' Best first'
          : group.name + ': ' + (kind === 'cost' ? holder.dataset.cost : group.unit) + ' of each variant, best first';
  }

  function config(t, group, holder) {
    switch (holder.dataset.chart) {
      case 'key': return bars(t, group.key, holder.dataset.unit);
      case 'bars': return bars(t, group.bars, group.unit);
      case 'cost': return bars(t, costOf(group, holder).bars, holder.dataset.cost, { display: false });
      case 'latency': return latency(t, group);
      case 'curves': return curves(t, group);
      default: return attribution(t, group, holder.dataset.event);
    }
  }

  function draw() {
    charts.splice(0).forEach(chart => chart.destroy());
    const t = theme();
    document.querySelectorAll('[data-chart]').forEach(holder => {
      const kind = holder.dataset.chart;
      const group = data.groups.find(one => one.id === holder.dataset.group);
      const chart = config(t, group, holder);
      if (kind !== 'latency' && kind !== 'curves') {
        const legend = kind !== 'attribution' ? 0 : (isNarrow() ? 20 * Math.ceil(chart.data.datasets.length / 3) + 10 : 60);
        const most = Math.max(...chart.data.labels.map(label => label.length));
        const row = Math.max(kind === 'cost' ? 26 : 34, 16 * most + 6);
        holder.style.height = row * chart.data.labels.length + 60 + legend + 'px';
      }
      chart.options.animation = false;
      chart.options.maintainAspectRatio = false;
      const canvas = document.createElement('canvas');
      canvas.setAttribute('role', 'img');
      canvas.setAttribute('aria-label', words(kind, group, holder) + '. The table below holds the same figures.');
      holder.replaceChildren(canvas);
      charts.push(new Chart(canvas, chart));
    });
  }

  // Paper is white, and narrower than most screens.
  function print(now) {
    printing = now;
    document.documentElement.classList.toggle('print', now);
    draw();
  }

  data.groups.forEach(group => {
    const select = document.querySelector('[data-levels="' + group.id + '"]');
    if (!select) { return; }
    group.latencies.forEach(level => select.add(new Option(level.percent + ' % of the stable load', level.percent)));
    // A sweep goes on beyond the stable load, where latencies are those of a queue.
    const last = group.latencies[group.latencies.length - 1];
    select.value = (group.latencies.find(level => level.percent === 100) || last).percent;
    select.parentElement.hidden = group.latencies.length < 2;
    select.addEventListener('change', draw);
  });
  document.querySelectorAll('.answer, .settings').forEach(keepWhole);
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  draw();
  dark.addEventListener('change', draw);
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
}());
