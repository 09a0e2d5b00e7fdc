// SPDX-License-Identifier: BSD-3-Clause
/* Makes the charts of a page interactive: zooming, values at the pointer, hiding of lines, variants, saving; and shows
 * one tab at a time. Charts are drawn by chart_svg.c. This script moves their elements and draws none of them again: a
 * line has the numbers of its axes as coordinates and a transform to pixels, a mark is a group. Only ticks are new. */
(function () {
	'use strict';

	const TICKS_X = 6, TICKS_Y = 5, CLICK = 5;	/* CLICK: pixels that make a drag of a click */
	const SVG = 'http:' + '//www.w3.org/2000/svg';	/* a name, and no address that is loaded */
	const shown = (number) => String(Number(number.toPrecision(4)));
	const number = (text) => Number(text);

	function make(name, className, text) {
		const node = document.createElement(name);
		if (className)
			node.className = className;
		if (text !== undefined)
			node.textContent = text;
		return node;
	}

	/* --- numbers of a chart --- */

	/* The place of a plot in pixels, and the numbers at its edges (log10 on a logarithmic axis). */
	function frameOf(plot) {
		const [left, top, width, height, x0, x1, y0, y1] = plot.dataset.frame.split(' ').map(number);
		const [logX, logY] = plot.dataset.log.split(' ').map(number);
		return { left, top, width, height, x0, x1, y0, y1, logX, logY };
	}

	/* The points of a line: coordinates of its path alternate between x and y, whatever the letters are. */
	function pointsOf(line) {
		const path = line.querySelector('path[vector-effect]'), all = path ? path.getAttribute('d').match(/-?[\d.]+(e[-+]?\d+)?/g) || [] : [];
		return { x: all.filter((n, i) => i % 2 === 0).map(number), y: all.filter((n, i) => i % 2 === 1).map(number) };
	}

	/* How many x are at most the given one. */
	function countTo(points, x) {
		let low = 0, high = points.x.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (points.x[middle] <= x)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* Round numbers from low to high as [place on the axis, text]. */
	function ticks(low, high, isLog, wanted) {
		const all = [], few = high - low < 3;
		for (let p = Math.floor(low); isLog && p <= high; p++)
			for (const digit of few ? [1, 2, 5] : [1]) {
				const at = Math.log10(digit) + p;
				if (at >= low - 1e-9 && at <= high + 1e-9)
					all.push([at, shown(digit * 10 ** p)]);
			}
		if (all.length > 1)
			return all;
		const [from, to] = isLog ? [10 ** low, 10 ** high] : [low, high], power = 10 ** Math.floor(Math.log10((to - from) / wanted));
		const step = [1, 2, 5, 10].map((d) => d * power).find((s) => s >= (to - from) / wanted * (1 - 1e-9));
		for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++)
			all.push([isLog ? Math.log10(i * step) : i * step, String(Number((i * step).toPrecision(6)))]);
		return all;
	}

	/* --- one chart --- */

	function attach(variant) {
		const plot = variant.querySelector('svg.plot'), frame = frameOf(plot), kind = plot.dataset.kind;
		const lines = Array.from(plot.querySelectorAll('g.line')), items = Array.from(variant.querySelectorAll('.legend li'));
		const moved = kind === 'bars' ? [] : Array.from(plot.querySelectorAll('.at, path[vector-effect]'))
			.map((node) => ({ node, transform: node.getAttribute('transform') }));
		const tools = make('div', 'tools'), at = make('span'), reset = make('button', 'reset', 'reset zoom');
		let view = frame, points = null;

		/* While zooming the y axis follows what is visible, unless it is logarithmic, shared with other charts, or that of
		 * means. */
		const follows = (kind === 'curves' || kind === 'steps') && !frame.logY && plot.dataset.framed === '0';

		const isVisible = (i) => items[i].querySelector('button').getAttribute('aria-pressed') === 'true';
		const pointsOfAll = () => points = points || lines.map(pointsOf);

		/* The y axis of what is visible between two x; steps and curves reach in from the left. */
		function rangeOfY(from, to) {
			let low = Infinity, high = -Infinity;
			pointsOfAll().forEach((p, i) => {
				for (let k = Math.max(0, countTo(p, from) - 1); isVisible(i) && k < p.x.length && p.x[k] <= to; k++) {
					low = Math.min(low, p.y[k]);
					high = Math.max(high, p.y[k]);
				}
			});
			if (!(low <= high))
				return [frame.y0, frame.y1];
			low = frame.y0 === 0 ? 0 : low;
			return high > low ? [low, high + (high - low) * 0.05] : [low - 0.5, high + 0.5];
		}

		function drawTicks() {
			const right = frame.left + frame.width, bottom = frame.top + frame.height, all = plot.querySelector('.ticks');
			const xs = ticks(view.x0, view.x1, frame.logX, TICKS_X)
				.map(([v, text]) => [(frame.left + (v - view.x0) / (view.x1 - view.x0) * frame.width).toFixed(1), text]);
			const ys = ticks(view.y0, view.y1, frame.logY, TICKS_Y)
				.map(([v, text]) => [bottom - (v - view.y0) / (view.y1 - view.y0) * frame.height, text]);
			all.innerHTML = '<g stroke="#d0d0d0" stroke-width="0.6">' +
				ys.map(([y]) => '<path d="M' + frame.left + ' ' + y.toFixed(1) + 'H' + right + '"/>').join('') +
				xs.map(([x]) => '<path d="M' + x + ' ' + frame.top + 'V' + bottom + '"/>').join('') + '</g>' +
				'<path d="M' + frame.left + ' ' + frame.top + 'V' + bottom + 'H' + right + '" fill="none" stroke="#000"/>' +
				ys.map(([y, text]) => '<text x="' + (frame.left - 5) + '" y="' + (y + 4).toFixed(1) + '" text-anchor="end">' + text + '</text>').join('') +
				xs.map(([x, text]) => '<text x="' + x + '" y="' + (bottom + 14) + '" text-anchor="middle">' + text + '</text>').join('');
		}

		/* Shows a part of the axes: pixel x becomes ax x + bx, and y likewise. */
		function show(next) {
			view = next;
			const ax = (frame.x1 - frame.x0) / (view.x1 - view.x0), ay = (frame.y1 - frame.y0) / (view.y1 - view.y0);
			const bx = frame.left * (1 - ax) + (frame.x0 - view.x0) / (view.x1 - view.x0) * frame.width;
			const by = (frame.top + frame.height) * (1 - ay) - (frame.y0 - view.y0) / (view.y1 - view.y0) * frame.height;
			for (const { node, transform } of moved)
				if (transform.startsWith('matrix')) {
					node.setAttribute('transform', 'matrix(' + [ax, 0, 0, ay, bx, by].join(' ') + ') ' + transform);
				} else {
					const [x, y] = transform.match(/-?[\d.]+/g).map(number);
					node.setAttribute('transform', 'translate(' + (ax * x + bx) + ' ' + (ay * y + by) + ')');
				}
			drawTicks();
			reset.hidden = view === frame;
		}

		function zoom(from, to) {
			const [y0, y1] = follows ? rangeOfY(from, to) : [frame.y0, frame.y1];
			show({ x0: from, x1: to, y0, y1 });
		}

		/* The place of the pointer on the x axis. */
		function xAt(event) {
			const box = plot.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * plot.viewBox.baseVal.width;
			return view.x0 + Math.min(1, Math.max(0, (x - frame.left) / frame.width)) * (view.x1 - view.x0);
		}

		function showValues(x) {
			pointsOfAll().forEach((p, i) => {
				const k = x === null ? 0 : countTo(p, x);
				items[i].querySelector('output').textContent = k ? shown(frame.logY ? 10 ** p.y[k - 1] : p.y[k - 1]) : '';
			});
			at.textContent = x === null ? '' : 'at ' + shown(frame.logX ? 10 ** x : x);
		}

		function dragZoom() {
			const band = document.createElementNS(SVG, 'rect');
			let start = null;
			band.setAttribute('class', 'band');
			band.setAttribute('y', frame.top);
			band.setAttribute('height', frame.height);
			const pixel = (x) => frame.left + (x - view.x0) / (view.x1 - view.x0) * frame.width;
			plot.addEventListener('pointerdown', (event) => {
				start = xAt(event);
				plot.setPointerCapture(event.pointerId);
			});
			plot.addEventListener('pointermove', (event) => {
				const x = xAt(event), from = start === null ? 0 : Math.min(pixel(start), pixel(x));
				showValues(x);
				if (start === null)
					return;
				band.setAttribute('x', from);
				band.setAttribute('width', Math.max(pixel(start), pixel(x)) - from);
				plot.append(band);
			});
			plot.addEventListener('pointerup', (event) => {
				const [from, to] = [start, xAt(event)].sort((a, b) => a - b);
				if (start !== null && pixel(to) - pixel(from) >= CLICK)
					zoom(from, to);
				start = null;
				band.remove();
			});
			plot.addEventListener('pointercancel', () => { start = null; band.remove(); });
			plot.addEventListener('pointerleave', () => showValues(null));
			plot.addEventListener('dblclick', () => show(frame));
		}

		items.forEach((item, i) => item.querySelector('button').addEventListener('click', (event) => {
			const button = event.currentTarget, visible = !isVisible(i);
			if (!visible && items.filter((other, k) => isVisible(k)).length === 1)
				return;		/* one line stays */
			button.setAttribute('aria-pressed', String(visible));
			lines[i].style.display = visible ? '' : 'none';
			if (follows && view !== frame)
				zoom(view.x0, view.x1);
		}));
		if (kind !== 'bars')
			dragZoom();
		reset.type = 'button';
		reset.hidden = true;
		reset.addEventListener('click', () => show(frame));
		tools.append(at, reset, saveButtons(variant, (i) => isVisible(i)));
		plot.before(tools);
		variant.chart = { zoom, frame, reset: () => show(frame), isZoomed: () => view !== frame };
	}

	/* --- saving --- */

	/* The chart as it is on the screen, in the colours of paper: title, legend and plot. */
	function svgOf(variant, isVisible) {
		const plot = variant.querySelector('svg.plot').cloneNode(true), figure = variant.closest('figure');
		const width = plot.viewBox.baseVal.width, row = 18, parts = [];
		const text = (x, y, words, extra) => {
			const node = document.createElementNS(SVG, 'text');
			node.setAttribute('x', x);
			node.setAttribute('y', y);
			for (const [name, value] of Object.entries(extra || {}))
				node.setAttribute(name, value);
			node.textContent = words;
			parts.push(node);
		};
		text(4, 14, figure.querySelector('h3').textContent, { 'font-weight': 'bold' });
		plot.querySelectorAll('g.line').forEach((line) => { if (line.style.display === 'none') line.remove(); });
		variant.querySelectorAll('.legend li').forEach((item, i) => {
			const y = 24 + row * (parts.length - 1) / 2;
			if (!isVisible(i))
				return;
			const sample = item.querySelector('svg').cloneNode(true);
			sample.setAttribute('x', 4);
			sample.setAttribute('y', y);
			parts.push(sample);
			text(44, y + 13, item.querySelector('span').textContent);
		});
		const top = 28 + row * (parts.length - 1) / 2, height = top + plot.viewBox.baseVal.height;
		const group = document.createElementNS(SVG, 'g');
		group.setAttribute('transform', 'translate(0 ' + top + ')');
		group.append(...plot.childNodes);
		const whole = document.createElementNS(SVG, 'svg');
		for (const [name, value] of Object.entries({ width, height, 'font-family': 'Helvetica, Arial, sans-serif', 'font-size': 11 }))
			whole.setAttribute(name, value);
		whole.innerHTML = '<rect width="100%" height="100%" fill="#fff"/>';
		whole.append(...parts, group);
		return { width, height, text: new XMLSerializer().serializeToString(whole) };
	}

	function save(name, url) {
		const link = make('a');
		link.download = name;
		link.href = url;
		link.click();
	}

	const svgUrl = (svg) => 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg.text);

	function savePng(name, svg) {
		const picture = new Image(), canvas = make('canvas'), scale = 3;
		canvas.width = svg.width * scale;
		canvas.height = svg.height * scale;
		picture.onload = () => {
			const c = canvas.getContext('2d');
			c.scale(scale, scale);
			c.drawImage(picture, 0, 0, svg.width, svg.height);
			save(name, canvas.toDataURL('image/png'));
		};
		picture.src = svgUrl(svg);
	}

	function saveButtons(variant, isVisible) {
		const span = make('span', 'save'), id = variant.dataset.chart;
		const kinds = { SVG: () => save(id + '.svg', svgUrl(svgOf(variant, isVisible))),
				PNG: () => savePng(id + '.png', svgOf(variant, isVisible)) };
		for (const [kind, action] of Object.entries(kinds)) {
			const button = make('button', 'reset', kind);
			button.type = 'button';
			button.title = 'save this chart as ' + kind;
			button.addEventListener('click', action);
			span.append(button, ' ');
		}
		return span;
	}

	document.querySelectorAll('.variant').forEach(attach);
	document.querySelectorAll('figure.chart').forEach((figure) => {
		const select = figure.querySelector('select');
		if (select)
			select.addEventListener('change', () => figure.querySelectorAll('.variant')
				.forEach((variant) => { variant.hidden = variant.dataset.chart !== select.value; }));
	});
	/* A live page has replaced a chart. */
	document.addEventListener('redraw', (event) => attach(event.target));

	/* --- tabs --- */

	const tabs = Array.from(document.querySelectorAll('.tab'));

	function openTab(tab, buttons) {
		tabs.forEach((t, i) => {
			t.classList.toggle('open', t === tab);
			buttons[i].setAttribute('aria-selected', String(t === tab));
		});
	}

	if (tabs.length) {
		const bar = make('nav', 'tabs'), buttons = tabs.map((t) => make('button', '', t.dataset.title));
		bar.setAttribute('role', 'tablist');
		buttons.forEach((button, i) => {
			button.type = 'button';
			button.setAttribute('role', 'tab');
			button.addEventListener('click', () => openTab(tabs[i], buttons));
		});
		bar.append(...buttons);
		tabs[0].before(bar);
		document.body.classList.add('tabbed');
		const named = location.hash ? document.getElementById(location.hash.slice(1)) : null;
		openTab(named && named.closest('.tab') || tabs[0], buttons);
	}
})();
