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

	/* The variant of a chart that is to be seen, and what is drawn in it. */
	const variantOf = (figure) => figure.querySelector('.variant:not([hidden])');
	const inView = (node, box) => { const b = node.getBoundingClientRect(); return b.right > box.left && b.left < box.right && b.width + b.height > 0; };

	function look(figure, when) {
		const variant = variantOf(figure), plot = variant.querySelector('svg.plot'), box = plot.getBoundingClientRect();
		const drawn = Array.from(plot.querySelectorAll('.line path, .line rect, .line circle')).filter((node) => inView(node, box));
		const colours = new Set(drawn.map((node) => getComputedStyle(node).stroke + getComputedStyle(node).fill));
		const legend = variant.querySelectorAll('.legend li').length, labels = plot.querySelectorAll('text').length;
		const fine = box.width > 100 && drawn.length >= legend && colours.size > 0 && legend > 0 && labels > 2;
		verdict.push((fine ? 'drawn ' : 'EMPTY ') + variant.dataset.chart + ' ' + when + ': ' + drawn.length + ' elements, ' +
			legend + ' lines, ' + labels + ' texts');
	}

	const figures = Array.from(document.querySelectorAll('figure.chart'));
	/* A tab is seen when its button is pressed. */
	function show(figure) {
		const tab = figure.closest('.tab');
		if (tab && !tab.classList.contains('open'))
			Array.from(document.querySelectorAll('.tabs button'))
				.find((button) => button.textContent === tab.dataset.title).click();
	}

	for (const figure of figures) {
		show(figure);
		look(figure, 'at first');
		const select = figure.querySelector('select');
		for (const option of select ? select.options : []) {
			select.value = option.value;
			select.dispatchEvent(new Event('change'));
			look(figure, 'chosen');
		}
	}

	/* Saved charts are pictures with all that is drawn, error bars among it. */
	const clicked = HTMLAnchorElement.prototype.click;
	for (const figure of figures) {
		let saved = '';
		HTMLAnchorElement.prototype.click = function () { saved = decodeURIComponent(this.href); };
		show(figure);
		const variant = variantOf(figure), plot = variant.querySelector('svg.plot');
		variant.querySelector('.save button').click();
		const svg = new DOMParser().parseFromString(saved.slice(saved.indexOf(',') + 1), 'image/svg+xml');
		const whiskers = (root) => Array.from(root.querySelectorAll('path')).filter((p) => /h6M.*h6$/.test(p.getAttribute('d'))).length;
		if (svg.querySelector('parsererror') || svg.querySelectorAll('path, rect').length < 4 ||
		    svg.querySelectorAll('text').length < 4 || svg.querySelectorAll('.line').length !== plot.querySelectorAll('.line').length)
			verdict.push('EMPTY ' + variant.dataset.chart + ' saved: ' + saved.length + ' characters');
		if (whiskers(svg) !== whiskers(plot))
			verdict.push('EMPTY ' + variant.dataset.chart + ' saved: not its ' + whiskers(plot) + ' error bars');
	}
	HTMLAnchorElement.prototype.click = clicked;

	/* Zooming in, values at the pointer, and hiding a line. */
	for (const figure of figures) {
		show(figure);
		const variant = variantOf(figure), plot = variant.querySelector('svg.plot'), name = variant.dataset.chart;
		const path = plot.querySelector('path[vector-effect]'), before = path && path.getAttribute('transform');
		const buttons = Array.from(variant.querySelectorAll('.legend button'));
		if (plot.dataset.kind !== 'bars') {
			const { x0, x1 } = variant.chart.frame, box = plot.getBoundingClientRect();
			const ticks = plot.querySelector('.ticks').textContent;
			variant.chart.zoom(x0 + (x1 - x0) * 0.4, x0 + (x1 - x0) * 0.6);
			if (!variant.chart.isZoomed() || path.getAttribute('transform') === before || plot.querySelector('.ticks').textContent === ticks)
				verdict.push('EMPTY ' + name + ': zooming moves nothing');
			variant.chart.reset();
			if (variant.chart.isZoomed())
				verdict.push('EMPTY ' + name + ': it stays zoomed');
			plot.dispatchEvent(new PointerEvent('pointermove', { clientX: box.right - 30, clientY: box.top + 50 }));
			if (!buttons.some((button) => button.querySelector('output').textContent))
				verdict.push('EMPTY ' + name + ': no values at the pointer');
		}
		buttons.forEach((button) => button.click());
		if (Array.from(plot.querySelectorAll('.line')).filter((line) => line.style.display !== 'none').length !== 1)
			verdict.push('EMPTY ' + name + ': clicks hide all lines, or none');
		buttons.forEach((button) => { if (button.getAttribute('aria-pressed') === 'false') button.click(); });
	}
	if (document.documentElement.scrollWidth > window.innerWidth)
		verdict.push('WIDE: the page scrolls sideways, ' + document.documentElement.scrollWidth + ' of ' +
			window.innerWidth);

	const list = document.createElement('pre');
	list.id = 'verdict';
	list.textContent = '\n' + verdict.concat(window.complaints.map((c) => 'COMPLAINT ' + c),
		'figures ' + figures.length).join('\n') + '\n';
	document.body.append(list);
});
