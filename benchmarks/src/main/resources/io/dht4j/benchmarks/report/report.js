(function () {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const charts = [];
  let printing = false;

  // Dashes and marks help where colours do not.
  const dashes = [[], [8, 3], [2, 3], [10, 3, 2, 3], [5, 5], [14, 4]];
  const marks = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star'];

  function theme() {
    const style = getComputedStyle(document.documentElement);
    const value = name => style.getPropertyValue(name).trim();
    const colours = [];
    while (value('--c' + colours.length)) { colours.push(value('--c' + colours.length)); }
    return { text: value('--text'), muted: value('--muted'), line: value('--line'), page: value('--page'), colours: colours };
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

  function scale(t, more) {
    return Object.assign({ grid: { color: t.line }, border: { color: t.muted }, ticks: { color: t.text } }, more);
  }
  function title(t, text) {
    return { display: true, text: text, color: t.muted };
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

  function words(kind, group, holder) {
    return group.name + (kind === 'latency' ? ': latency by percentile of each variant'
      : kind === 'curves' ? ': p50 and p99 of latency against throughput of each variant'
        : ': share of each layer in the ' + holder.dataset.event + ' profile of each variant');
  }

  function config(t, kind, group, holder) {
    return kind === 'latency' ? latency(t, group)
      : kind === 'curves' ? curves(t, group)
        : attribution(t, group, holder.dataset.event);
  }

  function draw() {
    charts.splice(0).forEach(chart => chart.destroy());
    const t = theme();
    document.querySelectorAll('[data-chart]').forEach(holder => {
      const kind = holder.dataset.chart;
      const group = data.groups.find(one => one.id === holder.dataset.group);
      const chart = config(t, kind, group, holder);
      if (kind === 'attribution') {
        const legend = isNarrow() ? 20 * Math.ceil(chart.data.datasets.length / 3) + 10 : 60;
        const most = Math.max(...chart.data.labels.map(label => label.length));
        const row = Math.max(34, 16 * most + 6);
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
