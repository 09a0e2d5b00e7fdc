// SPDX-License-Identifier: BSD-3-Clause
/* Draws the charts of a report. Each figure names its chart (data-chart); the numbers stand beside it
 * as JSON. A line's style number chooses its dashes, its marks and its colour, so that lines can be
 * told apart by each of them alone. All text goes in as text, never as markup. */
(function () {
	'use strict';

	const DASHES = [null, [7, 3], [2, 3], [9, 3, 2, 3], [14, 4], [6, 2, 2, 2, 2, 2]];
	const COLOURS = 7, MARKS = 7, HATCHES = 6;
	const MARK_EVERY = 90;		/* pixels between the marks of a long line */
	const WHISKER_EVERY = 5;	/* pixels between the intervals of lines at the same x */
	const PAPER_WIDTH = 680;	/* of a printed page, in pixels */
	const PAPER = 'paper';
	const SVG = 'http:' + '//www.w3.org/2000/svg';	/* a name, and no address that is loaded */

	const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	const colourOf = (style) => css('--line-' + style % COLOURS);
	const lineColour = (line) => line.muted ? css('--muted') : colourOf(line.style);
	const markup = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
	const shown = (number) => String(Number(number.toPrecision(4)));

	function make(name, className, text) {
		const node = document.createElement(name);
		if (className)
			node.className = className;
		if (text !== undefined)
			node.textContent = text;
		return node;
	}

	/* --- marks, dashes, hatches --- */

	function polygon(c, x, y, corners) {
		c.beginPath();
		corners.forEach(([dx, dy], i) => i ? c.lineTo(x + dx, y + dy) : c.moveTo(x + dx, y + dy));
		c.closePath();
	}

	/* Lines of one colour differ in their marks, and those of one mark in their dashes: in black and white, too,
	 * the first 37 can be told apart. */
	const markOf = (style) => (style + Math.floor(style / COLOURS)) % MARKS;
	const dashOf = (style) => DASHES[(style + Math.floor(style / COLOURS)) % DASHES.length];

	function drawMark(c, style, x, y, colour = colourOf(style)) {
		const s = 4.5, kind = markOf(style), hollow = kind === 1 || kind === 3 || kind === 4;
		c.save();
		c.setLineDash([]);
		c.lineWidth = 1.5;
		c.strokeStyle = colour;
		c.fillStyle = hollow ? css('--page') : colour;
		if (kind === 0) {
			c.beginPath();
			c.arc(x, y, s * 0.85, 0, 2 * Math.PI);
		} else if (kind === 1) {
			polygon(c, x, y, [[-s * 0.8, -s * 0.8], [s * 0.8, -s * 0.8], [s * 0.8, s * 0.8], [-s * 0.8, s * 0.8]]);
		} else if (kind === 2) {
			polygon(c, x, y, [[0, -s], [s, s * 0.8], [-s, s * 0.8]]);
		} else if (kind === 3) {
			polygon(c, x, y, [[0, -s], [s, 0], [0, s], [-s, 0]]);
		} else if (kind === 4) {
			polygon(c, x, y, [[0, s], [s, -s * 0.8], [-s, -s * 0.8]]);
		} else {
			const d = kind === 5 ? s * 0.8 : 0, h = kind === 5 ? d : s;
			c.beginPath();
			c.moveTo(x - h, y - d);
			c.lineTo(x + h, y + d);
			c.moveTo(x + d, y - h);
			c.lineTo(x - d, y + h);
		}
		if (kind < 5)
			c.fill();
		c.stroke();
		c.restore();
	}

	/* What somebody else measured has a ring, and no line. */
	function drawRing(c, style, x, y, colour = colourOf(style)) {
		drawMark(c, style, x, y, colour);
		c.save();
		c.setLineDash([]);
		c.lineWidth = 1.5;
		c.strokeStyle = colour;
		c.beginPath();
		c.arc(x, y, 9, 0, 2 * Math.PI);
		c.stroke();
		c.restore();
	}

	function hatch(c, style) {
		const tile = make('canvas'), kind = style % HATCHES;
		if (kind === 0)
			return colourOf(style);
		tile.width = tile.height = 8;
		const t = tile.getContext('2d');
		t.strokeStyle = colourOf(style);
		t.lineWidth = 1.6;
		const strokes = [null, [[-2, 10, 10, -2], [-2, 2, 2, -2], [6, 10, 10, 6]], [[0, 2, 8, 2], [0, 6, 8, 6]],
			[[-2, -2, 10, 10], [6, -2, 10, 2], [-2, 6, 2, 10]], [[0, 0, 8, 8], [8, 0, 0, 8]],
			[[2, 0, 2, 8], [6, 0, 6, 8]]][kind];
		for (const [x0, y0, x1, y1] of strokes) {
			t.moveTo(x0, y0);
			t.lineTo(x1, y1);
		}
		t.stroke();
		return c.createPattern(tile, 'repeat');
	}

	/* On bars of many colours marks have that of the text. */
	const markColour = (line, bars) => bars ? css('--text') : colourOf(line.style);

	/* And a ground of their own, whatever the bar is. */
	function drawBarMark(c, line, x, y) {
		c.save();
		c.fillStyle = css('--page');
		c.beginPath();
		c.arc(x, y, 9, 0, 2 * Math.PI);
		c.fill();
		c.restore();
		drawRing(c, line.style, x, y, markColour(line, true));
	}

	/* What the legend shows beside a name. */
	function sample(line, bars) {
		const canvas = make('canvas'), scale = window.devicePixelRatio || 1, width = 40, height = 14;
		canvas.width = width * scale;
		canvas.height = height * scale;
		canvas.style.width = width + 'px';
		canvas.style.height = height + 'px';
		const c = canvas.getContext('2d');
		c.scale(scale, scale);
		c.strokeStyle = lineColour(line);
		if (bars && !line.marks) {
			c.fillStyle = hatch(c, line.style);
			c.fillRect(1, 1, width - 2, height - 2);
			c.strokeRect(1, 1, width - 2, height - 2);
			return canvas;
		}
		if (line.marks) {
			c.scale(0.7, 0.7);
			drawRing(c, line.style, width / 1.4, height / 1.4, markColour(line, bars));
			return canvas;
		}
		c.lineWidth = line.muted ? 1 : 2;
		c.setLineDash(line.muted ? [] : dashOf(line.style) || []);
		c.beginPath();
		c.moveTo(0, height / 2);
		c.lineTo(width, height / 2);
		c.stroke();
		if (!line.muted)
			drawMark(c, line.style, width / 2, height / 2);
		return canvas;
	}

	/* --- numbers --- */

	/* Rows of dygraphs: every x of any line, with null for the lines that have no point there. */
	function rowsOf(lines) {
		const rows = [], next = lines.map(() => 0);
		for (;;) {
			let x = Infinity;
			lines.forEach((l, i) => { if (next[i] < l.px.length && l.px[next[i]] < x) x = l.px[next[i]]; });
			if (x === Infinity)
				return rows;
			rows.push([x].concat(lines.map((l, i) =>
				next[i] < l.px.length && l.px[next[i]] === x ? l.py[next[i]++] : null)));
		}
	}

	/* The last value at or before x. */
	function valueAt(line, x) {
		let low = 0, high = line.px.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (line.px[middle] <= x)
				low = middle + 1;
			else
				high = middle;
		}
		return low ? line.py[low - 1] : null;
	}

	const most = (arrays, pick, start) =>
		arrays.reduce((y, a) => (a || []).reduce((z, v) => v === null ? z : pick(z, v), y), start);
	const largest = (lines) => most(lines.map((l) => l.py), Math.max, -Infinity);
	const smallest = (lines) => most(lines.map((l) => l.py), Math.min, Infinity);

	/* A wide interval must not flatten the lines: it may leave the chart. */
	function largestInterval(lines) {
		const y = largest(lines);
		return Math.min(2 * y, most(lines.map((l) => l.high), Math.max, y));
	}

	const barsOf = (chart) => chart.lines.filter((l) => !l.marks);

	/* How far the axes reach: as those of charts that this one is compared with. */
	const framed = (chart, i, pick, own) => chart.frame ? pick(chart.frame[i], own) : own;
	const lowest = (chart) => framed(chart, 2, Math.min, smallest(chart.lines));
	const highest = (chart) => framed(chart, 3, Math.max, largest(chart.lines));

	/* --- names of bars --- */

	const NAME_LINES = 4, CHARACTER = 6.6, LINE_HEIGHT = 14;	/* of the labels of an axis, in pixels */

	/* A name in lines of so many characters, broken behind what is no letter or digit, else anywhere. */
	function brokenName(name, length) {
		const lines = [''];
		for (const part of name.match(/[^-_ ,(:/]*[-_ ,(:/]?/g).flatMap((p) => p.match(new RegExp('.{1,' + length + '}', 'g')) || []))
			if (lines[lines.length - 1].length + part.trimEnd().length > length)
				lines.push(part);
			else
				lines[lines.length - 1] += part;
		return lines.map((line) => line.trim()).filter((line) => line);
	}

	/* For each bar its name in lines that fit below it; null: they would be too many, and bars have numbers. */
	function namesBelow(names, slot) {
		const length = Math.max(1, Math.floor(slot / CHARACTER) - 1);
		const broken = names.map((name) => brokenName(name, length));
		return length < 6 || broken.some((lines) => lines.length > NAME_LINES) ? null : broken;
	}

	/* --- drawing --- */

	function whisker(c, g, x, low, high, colour) {
		if (low === null || high === null || low === undefined)
			return;
		const top = g.toDomYCoord(high), bottom = g.toDomYCoord(low);
		c.save();
		c.setLineDash([]);
		c.lineWidth = 1;
		c.strokeStyle = colour;
		c.beginPath();
		c.moveTo(x, top);
		c.lineTo(x, bottom);
		for (const y of [top, bottom]) {
			c.moveTo(x - 4, y);
			c.lineTo(x + 4, y);
		}
		c.stroke();
		c.restore();
	}

	function drawBar(e, line, bars) {
		const c = e.drawingContext, width = 0.6 * e.plotArea.w / (bars + 0.2);
		for (const p of e.points) {
			if (p.yval === null || isNaN(p.canvasy))
				continue;
			const zero = e.dygraph.toDomYCoord(0);
			c.save();
			c.setLineDash([]);
			c.fillStyle = hatch(c, line.style);
			c.strokeStyle = colourOf(line.style);
			c.fillRect(p.canvasx - width / 2, p.canvasy, width, zero - p.canvasy);
			c.strokeRect(p.canvasx - width / 2, p.canvasy, width, zero - p.canvasy);
			c.restore();
			whisker(c, e.dygraph, p.canvasx, line.low[0], line.high[0], css('--text'));
		}
	}

	/* Marks on a line: all points of a chart of means, else one now and then. */
	function markDrawer(chart, state) {
		return (g, name, c, x, y, colour, size, row) => {
			const i = Number(name), line = chart.lines[i];
			if (line.muted)
				return;
			if (line.marks) {
				if (chart.kind === 'bars')
					drawBarMark(c, line, x, y);
				else
					drawRing(c, line.style, x, y);
				return;
			}
			if (chart.kind === 'means') {
				const at = line.px.indexOf(g.getValue(row, 0));
				/* Side by side, or they would hide each other. */
				whisker(c, g, x + WHISKER_EVERY * (i - (chart.lines.length - 1) / 2), line.low[at],
					line.high[at], colour);
			} else {
				if (state.last[i] === undefined)
					state.last[i] = g.getArea().x + MARK_EVERY * ((0.15 + 0.382 * line.style) % 1 - 1);
				if (x - state.last[i] < MARK_EVERY && line.px.length > 1)
					return;
				state.last[i] = x;
			}
			drawMark(c, line.style, x, y);
		};
	}

	/* Touching a chart scrolls the page; its range selector zooms. */
	function interaction() {
		const model = Object.assign({}, Dygraph.defaultInteractionModel);
		if (window.matchMedia('(pointer: coarse)').matches)
			for (const name of ['touchstart', 'touchmove', 'touchend'])
				delete model[name];
		return model;
	}

	function optionsOf(figure, chart) {
		const state = { last: [] }, bars = chart.kind === 'bars', series = {};
		const overTime = chart.x.startsWith('time');
		chart.lines.forEach((l, i) => {
			series[i] = { strokePattern: l.muted ? null : dashOf(l.style), color: lineColour(l),
				strokeWidth: l.marks ? 0 : l.muted ? 1 : 1.6 };
			if (bars && !l.marks)
				series[i].plotter = (e) => drawBar(e, l, barsOf(chart).length);
		});
		const options = {
			labels: ['x'].concat(chart.lines.map((l, i) => String(i))),
			series: series,
			strokeWidth: 1.6,
			stepPlot: chart.kind === 'steps',
			connectSeparatedPoints: true,
			drawPoints: true,
			drawPointCallback: markDrawer(chart, state),
			drawHighlightPointCallback: (g, name, c, x, y) => drawMark(c, chart.lines[Number(name)].style, x, y),
			underlayCallback: () => { state.last = []; },
			/* Zero is on the axis unless all that happens is far from it. */
			includeZero: !chart.logY && (bars || lowest(chart) < 0.5 * highest(chart)),
			yRangePad: chart.logY ? 0 : 8,
			/* Of means every tick counts: a label for which there is no room would be moved aside. */
			xRangePad: chart.logX ? 0 : chart.kind === 'means' ? 30 : 2,
			axisLineColor: css('--soft'),
			gridLineColor: css('--rule'),
			legend: 'never',
			axes: { x: { logscale: chart.logX, axisLabelFormatter: (x) => shown(x), axisLabelWidth: 56,
				     pixelsPerLabel: 64 },
				y: { logscale: chart.logY, axisLabelFormatter: (y) => shown(y), axisLabelWidth: 48 } },
			showRangeSelector: overTime && !document.documentElement.classList.contains(PAPER),
			rangeSelectorHeight: 28,
			rangeSelectorPlotLineWidth: 1,
			rangeSelectorPlotStrokeColor: css('--soft'),
			rangeSelectorPlotFillColor: css('--rule'),
			rangeSelectorPlotFillGradientColor: css('--page'),
			rangeSelectorForegroundStrokeColor: css('--soft'),
			rangeSelectorBackgroundStrokeColor: css('--rule'),
			interactionModel: bars ? {} : interaction(),
		};
		if (chart.logX) {
			const all = chart.frame ? chart.frame.slice(0, 2) :
				chart.lines.flatMap((l) => [l.px[0], l.px[l.px.length - 1]]).filter((x) => x > 0);
			options.dateWindow = [Math.min(...all) / 1.1, Math.max(...all) * 1.1];
		} else if (chart.frame && !bars) {
			/* Where it has points as far as the others it needs no window: one that is set cannot be reset. */
			const own = chart.lines.flatMap((l) => l.px.length ? [l.px[0], l.px[l.px.length - 1]] : []);
			const [from, to] = chart.frame, near = 0.01 * (to - from);
			if (Math.min(...own) > from + near || Math.max(...own) < to - near)
				options.dateWindow = [from - near, to + near];
		}
		if (chart.logY)
			options.valueRange = [lowest(chart) / 1.15, highest(chart) * 1.15];
		else if (chart.y.startsWith('share'))
			options.valueRange = [0, 1.02];
		else if (chart.kind === 'means' || bars)
			options.valueRange = [0, 1.06 * framed(chart, 3, Math.max, largestInterval(chart.lines)) || 1];
		else if (chart.frame)
			options.valueRange = [options.includeZero ? Math.min(0, lowest(chart)) : lowest(chart), 1.05 * highest(chart) || 1];
		if (bars) {
			const all = barsOf(chart), slot = figure.clientWidth / all.length;
			const names = namesBelow(all.map((l) => l.name), (figure.clientWidth - 56) / (all.length + 0.2));
			chart.numbered = names === null;
			options.dateWindow = [0.4, all.length + 0.6];
			options.axes.x.drawGrid = false;
			options.axes.x.axisLabelWidth = slot;
			if (names)
				options.xAxisHeight = 8 + LINE_HEIGHT * Math.max(...names.map((lines) => lines.length));
			options.axes.x.ticker = () => all.map((l, i) =>
				({ v: i + 1, label: names ? names[i].map(markup).join('<br>') : String(i + 1) }));
		}
		return options;
	}

	/* --- saving --- */

	/* What is on the screen as SVG: lines by the chart's own coordinates, texts where the page has them. */
	function svgOf(figure, chart) {
		const g = figure.graph, plot = figure.querySelector('.plot'), box = plot.getBoundingClientRect();
		const area = g.getArea(), shownLines = chart.lines.filter((l, i) => g.visibility()[i]);
		const [low, high] = g.xAxisRange();
		const xOf = (x) => chart.logX ? area.x + area.w * Math.log(x / low) / Math.log(high / low) : g.toDomXCoord(x);
		const row = 16, top = 28 + row * shownLines.length, parts = [];
		const add = (text) => parts.push(text);
		const label = (x, y, text, extra) => add('<text x="' + x.toFixed(1) + '" y="' + y.toFixed(1) + '"' +
			(extra || '') + '>' + markup(text) + '</text>');
		label(4, 16, figure.querySelector('h3').textContent + (chart.y ? ': ' + chart.y : ''), ' font-weight="bold"');
		shownLines.forEach((l, i) => {
			const y = 34 + row * i, dash = l.muted ? null : dashOf(l.style);
			add(l.marks ? '<circle cx="19" cy="' + y + '" r="5" fill="none" stroke="' +
				markColour(l, chart.kind === 'bars') + '"/>' :
				'<path d="M4 ' + y + 'h30" stroke="' + lineColour(l) + '" stroke-width="2"' +
				(dash ? ' stroke-dasharray="' + dash.join(' ') + '"' : '') + '/>');
			label(40, y + 4, l.name);
		});
		add('<g transform="translate(0 ' + top + ')"><path fill="none" stroke="#888" d="M' + area.x + ' ' + area.y + 'v' +
			area.h + 'h' + area.w + '"/>');
		plot.querySelectorAll('.dygraph-axis-label').forEach((node) => {
			const at = node.getBoundingClientRect();
			const lines = node.innerText.split('\n');
			lines.forEach((line, i) => label(at.left - box.left + at.width / 2,
				at.bottom - box.top - 3 - LINE_HEIGHT * (lines.length - 1 - i), line, ' text-anchor="middle"'));
		});
		const interval = (x, low, high, colour) => {
			if (low === null || high === null || low === undefined)
				return;
			const top = g.toDomYCoord(high).toFixed(1), bottom = g.toDomYCoord(low).toFixed(1);
			add('<path fill="none" stroke="' + colour + '" d="M' + x.toFixed(1) + ' ' + top + 'V' + bottom + 'm-4 0h8M' +
				(x - 4).toFixed(1) + ' ' + top + 'h8"/>');
		};
		shownLines.forEach((l) => {
			const at = l.px.map((x, i) => l.py[i] === null ? null : [xOf(x), g.toDomYCoord(l.py[i])])
				.filter((p) => p && isFinite(p[0]) && isFinite(p[1]));
			if (chart.kind === 'bars' && !l.marks) {
				const width = 0.6 * area.w / (barsOf(chart).length + 0.2), zero = g.toDomYCoord(0);
				at.forEach(([x, y]) => add('<rect x="' + (x - width / 2).toFixed(1) + '" y="' + y.toFixed(1) + '" width="' +
					width.toFixed(1) + '" height="' + (zero - y).toFixed(1) + '" fill="' + lineColour(l) + '"/>'));
				at.forEach(([x]) => interval(x, l.low[0], l.high[0], css('--text')));
				return;
			}
			if (l.marks) {
				at.forEach(([x, y]) => add('<circle cx="' + x.toFixed(1) + '" cy="' + y.toFixed(1) + '" r="8" fill="' +
					(chart.kind === 'bars' ? css('--page') : 'none') + '" stroke="' + markColour(l, chart.kind === 'bars') + '"/>'));
				return;
			}
			const dash = l.muted ? null : dashOf(l.style), i = chart.lines.indexOf(l);
			if (chart.kind === 'means')
				l.px.forEach((x, k) => interval(xOf(x) + WHISKER_EVERY * (i - (chart.lines.length - 1) / 2), l.low[k],
					l.high[k], lineColour(l)));
			add('<path fill="none" stroke="' + lineColour(l) + '" stroke-width="1.6"' +
				(dash ? ' stroke-dasharray="' + dash.join(' ') + '"' : '') + ' d="' + at.map(([x, y], i) =>
				i === 0 ? 'M' + x.toFixed(1) + ' ' + y.toFixed(1) : chart.kind === 'steps' ? 'H' + x.toFixed(1) + 'V' +
					y.toFixed(1) : 'L' + x.toFixed(1) + ' ' + y.toFixed(1)).join('') + '"/>');
		});
		label(area.x + area.w / 2, box.height + 12, chart.x, ' text-anchor="middle"');
		add('</g>');
		const width = Math.ceil(box.width), height = Math.ceil(top + box.height + 20);
		return { width: width, height: height, text: '<svg xmlns="' + SVG + '" width="' + width +
			'" height="' + height + '" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="' +
			css('--page') + '"/><g fill="' + css('--text') + '">' + parts.join('\n') + '</g></svg>' };
	}

	function save(name, url) {
		const link = make('a');
		link.download = name;
		link.href = url;
		link.click();
	}

	const svgUrl = (svg) => 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg.text);

	function savePng(name, svg) {
		const picture = new Image(), canvas = make('canvas'), scale = 2;
		canvas.width = svg.width * scale;
		canvas.height = svg.height * scale;
		picture.onload = () => {
			const c = canvas.getContext('2d');
			c.scale(scale, scale);
			c.drawImage(picture, 0, 0);
			save(name, canvas.toDataURL('image/png'));
		};
		picture.src = svgUrl(svg);
	}

	function saveButtons(figure, chart) {
		const span = make('span', 'save'), id = figure.dataset.chart;
		const kinds = { SVG: () => save(id + '.svg', svgUrl(svgOf(figure, chart))),
				PNG: () => savePng(id + '.png', svgOf(figure, chart)) };
		for (const [kind, action] of Object.entries(kinds)) {
			const button = make('button', 'reset', kind);
			button.type = 'button';
			button.title = 'save this chart as ' + kind;
			button.addEventListener('click', action);
			span.append(button, ' ');
		}
		return span;
	}

	/* --- one figure --- */

	function legendItem(chart, i, graph) {
		const line = chart.lines[i], item = make('li', line.muted ? 'muted' : ''), button = make('button');
		button.type = 'button';
		button.setAttribute('aria-pressed', 'true');
		button.append(sample(line, chart.kind === 'bars'),
			make('span', '', (chart.numbered && !line.marks ? i + 1 + ' ' : '') + line.name), make('output'));
		button.addEventListener('click', () => {
			const visible = button.getAttribute('aria-pressed') !== 'true';
			if (!visible && graph().visibility().filter(Boolean).length === 1)
				return;		/* one line stays */
			button.setAttribute('aria-pressed', String(visible));
			graph().setVisibility(i, visible);
		});
		item.append(button);
		return item;
	}

	function draw(figure) {
		const chart = JSON.parse(document.getElementById('data-' + figure.dataset.chart).textContent);
		const plot = make('div', chart.kind === 'bars' ? 'plot short' : 'plot'), legend = make('ul', 'legend');
		const above = make('div', 'axis'), below = make('div', 'axis');
		const reset = make('button', 'reset', 'all of it');
		let graph = null;

		if (figure.graph)
			figure.graph.destroy();
		figure.querySelectorAll('.plot, .legend, .axis, .note').forEach((old) => old.remove());
		if (chart.kind === 'bars')
			chart.lines.forEach((l, i) => { l.px = l.px.map((x) => (l.marks ? x : i) + 1); });
		reset.type = 'button';
		reset.hidden = true;
		reset.addEventListener('click', () => graph.resetZoom());
		above.append(make('span', '', chart.y), reset, saveButtons(figure, chart));
		below.append(make('span'), make('span', '', chart.x));
		figure.append(legend, above, plot);
		if (chart.x)
			figure.append(below);
		if (chart.note)
			figure.append(make('p', 'note', chart.note));

		const options = optionsOf(figure, chart);
		const outputs = () => legend.querySelectorAll('output');
		options.drawCallback = (g, first) => { if (!first) reset.hidden = chart.kind === 'bars' || !g.isZoomed(); };
		options.highlightCallback = (event, x) => {
			outputs().forEach((o, i) => {
				const y = valueAt(chart.lines[i], x);
				o.textContent = y === null || (chart.kind === 'bars' && !chart.lines[i].px.includes(x)) ? '' : shown(y);
			});
			if (chart.kind !== 'bars')
				below.firstChild.textContent = 'at ' + shown(x);
		};
		options.unhighlightCallback = () => {
			outputs().forEach((o) => { o.textContent = ''; });
			below.firstChild.textContent = '';
		};
		graph = new Dygraph(plot, rowsOf(chart.lines), options);
		figure.graph = graph;
		legend.append(...chart.lines.map((l, i) => legendItem(chart, i, () => graph)));
	}

	const figures = Array.from(document.querySelectorAll('figure.chart'));
	const drawAll = () => figures.forEach(draw);

	for (const figure of figures) {
		const select = figure.querySelector('select');
		if (select)
			select.addEventListener('change', () => {
				figure.dataset.chart = select.value;
				draw(figure);
			});
	}

	/* --- tabs --- */

	/* What is not seen has no width, and is drawn when it is. */
	const isSeen = (figure) => !figure.closest('.tab') || figure.closest('.tab').classList.contains('open');
	const drawSeen = () => figures.filter(isSeen).forEach(draw);
	const tabs = Array.from(document.querySelectorAll('.tab'));

	function openTab(tab, buttons) {
		tabs.forEach((t, i) => {
			t.classList.toggle('open', t === tab);
			buttons[i].setAttribute('aria-selected', String(t === tab));
		});
		figures.filter((figure) => tab.contains(figure)).forEach(draw);
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
		figures.filter((figure) => !figure.closest('.tab')).forEach(draw);
	} else {
		drawAll();
	}
	/* Whoever has changed the numbers of a figure has it drawn again. */
	document.addEventListener('redraw', (event) => draw(event.target));

	/* To print from a dark screen changes the scheme as well, after the charts were drawn for paper. */
	window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
		if (!document.documentElement.classList.contains(PAPER))
			drawSeen();
	});

	/* Browsers may print the strokes of a canvas again instead of its picture, and get the erasing in
	 * between wrong; a copy of the picture has no strokes. */
	function freeze(canvas) {
		const copy = canvas.cloneNode(), picture = canvas.getContext('2d');
		copy.getContext('2d').putImageData(picture.getImageData(0, 0, canvas.width, canvas.height), 0, 0);
		canvas.replaceWith(copy);
	}

	window.addEventListener('beforeprint', () => {
		document.documentElement.classList.add(PAPER);
		figures.forEach((figure) => { figure.style.width = PAPER_WIDTH + 'px'; });
		drawAll();
		document.querySelectorAll('.plot canvas').forEach(freeze);
	});
	window.addEventListener('afterprint', () => {
		document.documentElement.classList.remove(PAPER);
		figures.forEach((figure) => { figure.style.width = ''; });
		drawSeen();
	});
})();
