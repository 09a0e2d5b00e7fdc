// SPDX-License-Identifier: BSD-3-Clause
/* check.js -- what the browser test adds to a copy of a report. The first part goes before all other
 * scripts and counts complaints; the second looks at the page when it has been drawn. The verdict is a
 * list of lines in an element of its own, which the test finds in the page's text. */
window.complaints = [];
window.addEventListener('error', (e) => window.complaints.push('error: ' + e.message));
window.addEventListener('unhandledrejection', (e) => window.complaints.push('rejection: ' + e.reason));
window.addEventListener('securitypolicyviolation', (e) => window.complaints.push('refused: ' + e.blockedURI));
for (const kind of ['error', 'warn']) {
	const say = console[kind].bind(console);
	console[kind] = (...words) => {
		window.complaints.push(kind + ': ' + words.join(' '));
		say(...words);
	};
}

window.addEventListener('load', () => {
	const verdict = [];

	/* Pixels that are not empty, and how many colours these have. */
	function ink(canvas) {
		const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
		const colours = new Set();
		let pixels = 0;
		for (let i = 0; i < data.length; i += 4)
			if (data[i + 3] > 128) {
				pixels++;
				colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
			}
		return { pixels: pixels, colours: colours.size };
	}

	function look(figure, when) {
		const name = figure.dataset.chart;
		const canvases = Array.from(figure.querySelectorAll('.plot canvas'));
		const best = canvases.map(ink).sort((a, b) => b.pixels - a.pixels)[0] || { pixels: 0, colours: 0 };
		const legend = figure.querySelectorAll('.legend li').length;
		/* Axes and grid alone are a few colours; so is a chart without lines. */
		const fine = best.pixels > 500 && best.colours > 4 && legend > 0;
		verdict.push((fine ? 'drawn ' : 'EMPTY ') + name + ' ' + when + ': ' + best.pixels + ' pixels, ' +
			best.colours + ' colours, ' + legend + ' lines');
	}

	const figures = Array.from(document.querySelectorAll('figure.chart'));
	/* What is behind a button is drawn when that is pressed. */
	function show(figure) {
		const tab = figure.closest('.tab');
		if (tab && !tab.classList.contains('open'))
			Array.from(document.querySelectorAll('.tabs button'))
				.find((button) => button.textContent === tab.dataset.title).click();
	}

	for (const figure of figures) {
		show(figure);
		look(figure, 'at first');
	}
	for (const figure of figures) {
		show(figure);
		const select = figure.querySelector('select');
		if (!select)
			continue;
		for (const option of select.options) {
			select.value = option.value;
			select.dispatchEvent(new Event('change'));
			look(figure, 'chosen');
		}
	}

	/* Saved charts are pictures with something in them. */
	const clicked = HTMLAnchorElement.prototype.click;
	for (const figure of figures) {
		let saved = '';
		HTMLAnchorElement.prototype.click = function () { saved = decodeURIComponent(this.href); };
		show(figure);
		figure.querySelector('.save button').click();
		const svg = new DOMParser().parseFromString(saved.slice(saved.indexOf(',') + 1), 'image/svg+xml');
		if (svg.querySelector('parsererror') || svg.querySelectorAll('path, rect').length < 4 ||
		    svg.querySelectorAll('text').length < 4)
			verdict.push('EMPTY ' + figure.dataset.chart + ' saved: ' + saved.length + ' characters');
		/* With its error bars: as many as there are intervals in what it draws. */
		const chart = JSON.parse(document.getElementById('data-' + figure.dataset.chart).textContent);
		const intervals = chart.kind !== 'bars' && chart.kind !== 'means' ? 0 : chart.lines.reduce((sum, line) =>
			sum + (line.low || []).filter((low, i) => low !== null && line.high[i] !== null).length, 0);
		if (saved.split('m-4 0h8').length - 1 !== intervals)
			verdict.push('EMPTY ' + figure.dataset.chart + ' saved: not its ' + intervals + ' error bars');
	}
	HTMLAnchorElement.prototype.click = clicked;

	/* Zooming in, hiding a line, and printing must work too. */
	for (const figure of figures) {
		show(figure);
		const [from, to] = figure.graph.xAxisRange();
		figure.graph.updateOptions({ dateWindow: [from + (to - from) * 0.4, from + (to - from) * 0.6] });
		figure.graph.resetZoom();
		const buttons = figure.querySelectorAll('.legend button');
		buttons.forEach((button) => button.click());
		if (figure.graph.visibility().filter(Boolean).length !== 1)
			verdict.push('EMPTY ' + figure.dataset.chart + ': clicks hide all lines, or none');
		buttons.forEach((button) => { if (button.getAttribute('aria-pressed') === 'false') button.click(); });
	}
	window.dispatchEvent(new Event('beforeprint'));
	figures.forEach((figure) => look(figure, 'on paper'));
	window.dispatchEvent(new Event('afterprint'));
	if (document.documentElement.scrollWidth > window.innerWidth)
		verdict.push('WIDE: the page scrolls sideways, ' + document.documentElement.scrollWidth + ' of ' +
			window.innerWidth);

	const list = document.createElement('pre');
	list.id = 'verdict';
	list.textContent = '\n' + verdict.concat(window.complaints.map((c) => 'COMPLAINT ' + c),
		'figures ' + figures.length).join('\n') + '\n';
	document.body.append(list);
});
