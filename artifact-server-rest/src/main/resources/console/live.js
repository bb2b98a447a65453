"use strict";
// Figures and pictures of what happens: one connection a page, told once a second.
(() => {
  const live = document.getElementById("live");
  const state = document.getElementById("live-state");
  const MAX_SAMPLES = 300;
  const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

  function bytes(amount) {
    let unit = 0;
    for (; amount >= 1023.95 && unit < UNITS.length - 1; unit++) {
      amount /= 1024;
    }
    return amount.toFixed(unit === 0 ? 0 : 1) + " " + UNITS[unit];
  }

  const SHOWN = {
    bytes: value => bytes(value) + "/s",
    requests: value => value + "/s",
    failures: value => value + "/s",
    downloads: String,
    connections: String,
    hits: value => value < 0 ? "no cache" : (value * 100).toFixed(1) + " %",
    none: value => value + " devices",
    some: value => value + " devices",
    all: value => value + " devices",
    active: value => value + " devices",
    rate: value => bytes(value) + "/s",
  };

  function figures(values) {
    for (const figure of live.querySelectorAll("[data-live]")) {
      const value = values[figure.dataset.live];
      if (value !== undefined) {
        figure.textContent = SHOWN[figure.dataset.live](value);
      }
    }
  }

  // Charts are drawn anew when the colours change.
  const samples = [];
  const charts = new Map();
  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function data(name) {
    return [samples.map(each => each.at), samples.map(each => each[name])];
  }
  function chart(place) {
    const name = place.dataset.chart;
    const axis = {stroke: colour("--soft"), grid: {stroke: colour("--line"), width: 1}, ticks: {stroke: colour("--line"), width: 1}};
    const height = 150;
    place.textContent = "";
    charts.set(name, new uPlot({
      width: Math.max(200, place.clientWidth),
      height,
      cursor: {show: false},
      legend: {show: false},
      scales: {y: {range: (_, min, max) => [0, Math.max(max * 1.1, 1)]}},
      axes: [axis, {...axis, size: 74, values: (_, ticks) => ticks.map(each => name === "bytes" ? bytes(each) : each)}],
      series: [{}, {stroke: colour("--accent"), width: 1.5, fill: colour("--mark")}],
    }, data(name), place));
  }
  function drawAll() {
    document.querySelectorAll("[data-chart]").forEach(chart);
  }
  if (document.querySelector("[data-chart]")) {
    drawAll();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
    addEventListener("resize", () => {
      for (const place of document.querySelectorAll("[data-chart]")) {
        charts.get(place.dataset.chart).setSize({width: Math.max(200, place.clientWidth), height: 150});
      }
    });
  }

  // A part that more devices have than a second ago is being sent.
  let before;
  function rangeMap(news) {
    const map = document.querySelector('[data-testid="range-map"]');
    map.setAttribute("aria-label", news.text);
    document.getElementById("map-text").textContent = news.text;
    map.querySelectorAll("rect").forEach((part, index) => {
      const percent = news.map[index];
      part.setAttribute("fill-opacity", percent / 100);
      part.classList.toggle("now", before !== undefined && percent > before[index]);
    });
    before = news.map;
  }

  function take(news) {
    if (news.samples) {
      samples.push(...news.samples);
      samples.splice(0, Math.max(0, samples.length - MAX_SAMPLES));
      if (samples.length > 0) {
        figures(samples[samples.length - 1]);
      }
      figures({active: news.active});
      charts.forEach((each, name) => each.setData(data(name)));
    } else {
      figures(news);
      rangeMap(news);
    }
    live.classList.remove("stale");
    state.textContent = "Live: the figures come once a second.";
  }

  let source;
  function open() {
    source = new EventSource(live.dataset.events);
    source.addEventListener("first", event => {
      samples.length = 0;
      take(JSON.parse(event.data));
    });
    source.addEventListener("now", event => take(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      live.classList.add("stale");
      state.textContent = source.readyState === EventSource.CLOSED
        ? "No live figures: you are signed out, or too many pages are open. Reload the page to try again."
        : "The connection is away; what is shown is old. It comes back by itself.";
    });
  }
  // A page that nobody looks at takes no connection.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source.close();
    } else {
      open();
    }
  });
  open();
})();
