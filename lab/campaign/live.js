// SPDX-License-Identifier: BSD-3-Clause
/* The live page: requests the state of the result folder every second, and the contents of its store when that has
 * changed. Tables and charts are markup that the server has made and escaped; everything else is inserted as text. */
(function () {
	'use strict';

	const BUSY_MS = 1000, IDLE_MS = 2000;	/* between two requests */
	const at = (id) => document.getElementById(id);
	const count = (number, word) => number + ' ' + word + (number === 1 ? '' : 's');
	let runs = null, drawn = '';

	function make(name, className, text) {
		const node = document.createElement(name);
		if (className)
			node.className = className;
		if (text !== undefined)
			node.textContent = text;
		return node;
	}

	/* "1 h 02 min", "3 min 10 s", "42 s" */
	function duration(seconds) {
		const s = Math.round(seconds), two = (n) => String(n).padStart(2, '0');
		if (s >= 3600)
			return Math.floor(s / 3600) + ' h ' + two(Math.floor(s % 3600 / 60)) + ' min';
		return s >= 60 ? Math.floor(s / 60) + ' min ' + two(s % 60) + ' s' : s + ' s';
	}

	const clock = (seconds) => new Date(Date.now() + 1000 * seconds)
		.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

	/* --- progress --- */

	function setState(text, kind) {
		const state = at('state');
		state.className = kind || '';
		if (state.textContent !== text)
			state.textContent = text;
	}

	function showBar(done, total) {
		const bar = at('bar');
		bar.hidden = !total;
		bar.max = total || 1;
		bar.value = done;
	}

	function showProgress(now) {
		let text = now.done + ' of ' + count(now.total, 'run') + ' done, ' + now.runs.length + ' running';
		if (now.failed)
			text += ', ' + now.failed + ' failed';
		text += '; ' + duration(now.seconds) + ' so far';
		if (now.left !== undefined)
			text += ', about ' + duration(now.left) + ' left, until ' + clock(now.left);
		setState(text + '.');
		showBar(now.done + now.runs.reduce((sum, run) => sum + run.share, 0), now.total);
	}

	/* No sweep is running: says whether the store is complete. */
	function showIdle(stamp) {
		if (!stamp)
			setState('No runs are there yet. This page goes on by itself once weir run or weir reproduce ' +
				'writes to this folder.');
		else if (!runs)
			setState('Reading the runs …');
		else if (runs.error)
			setState(runs.error, 'warning');
		else if (!runs.planned)
			setState(count(runs.runs, 'run') + '.');
		else if (runs.done < runs.planned)
			setState(runs.done + ' of ' + count(runs.planned, 'run') + ' done; nothing is running now. ' +
				'The same command as before does the others.');
		else
			setState(runs.planned === 1 ? 'The only run is done.' : 'All ' + runs.planned + ' runs are done.');
		showBar(runs ? runs.done : 0, runs && runs.done < runs.planned ? runs.planned : 0);
	}

	function showRunning(list) {
		at('running').replaceChildren(...list.map((run) => {
			const item = make('li'), bar = make('progress');
			bar.max = 1;
			bar.value = run.share;
			item.append(bar, make('span', '', Math.round(100 * run.share) + ' %'), make('span', '', run.label));
			return item;
		}));
	}

	/* --- charts --- */

	/* A figure for each chart, which is replaced when it has changed, unless somebody has zoomed in. */
	function showCharts(charts) {
		const place = at('charts');
		while (place.children.length > charts.length)
			place.lastChild.remove();
		charts.forEach((chart, i) => {
			let figure = place.children[i];
			if (!figure) {
				figure = make('figure', 'chart');
				figure.append(make('h3'), make('div', 'variant'));
				figure.lastChild.dataset.chart = 'live-' + i;
				place.append(figure);
			}
			const variant = figure.querySelector('.variant');
			if (figure.drawn === chart.html || (variant.chart && variant.chart.isZoomed()))
				return;
			figure.drawn = chart.html;
			figure.querySelector('h3').textContent = chart.title;
			variant.innerHTML = chart.html;
			variant.dispatchEvent(new Event('redraw', { bubbles: true }));
		});
	}

	function showSeries(state) {
		const live = state.series.length > 0, charts = live ? state.series : runs && runs.charts || [];
		at('series').hidden = !charts.length;
		if (!charts.length)
			return;
		at('of').textContent = live ? 'A run that goes on now: ' + state.seriesOf + '.' :
			'The run that ended last: ' + runs.chartsOf + '.' +
			(state.running ? ' Those that go on now are too short, or too young, to be followed.' : '');
		showCharts(charts);
	}

	/* --- contents of the store --- */

	function showRuns() {
		if (runs.error)
			return;
		at('title').textContent = runs.title || 'Results';
		document.title = 'Weir: ' + (runs.title || 'Results');
		at('sentences').replaceChildren(...runs.sentences.map((line) => make('p', 'answer', line)));
		at('sofar').textContent = runs.done < runs.planned ? 'Of ' + (runs.done === 1 ? 'the run' : 'the ' +
			runs.done + ' runs') + ' so far; all of this may change.' : '';
		at('table').innerHTML = runs.table;
	}

	async function request(path) {
		const answer = await fetch(path, { cache: 'no-store' });
		if (!answer.ok)
			throw new Error(path + ': ' + answer.status);
		return answer.json();
	}

	async function update() {
		const state = await request('/state.json');
		if (state.runs && state.runs !== drawn) {
			runs = await request('/runs.json');
			drawn = runs.stamp;
			showRuns();
		} else if (!state.stamp) {
			runs = null;
			drawn = '';
		}
		if (state.running)
			showProgress(state.running);
		else
			showIdle(state.stamp);
		showRunning(state.running ? state.running.runs : []);
		showSeries(state);
		return state.running ? BUSY_MS : IDLE_MS;
	}

	async function follow() {
		let wait = IDLE_MS;
		try {
			if (!document.hidden)
				wait = await update();
		} catch (error) {
			setState('weir view does not answer; what is below is what it said last.', 'warning');
		}
		setTimeout(follow, wait);
	}

	document.addEventListener('DOMContentLoaded', follow);
	document.addEventListener('visibilitychange', () => { if (!document.hidden) update().catch(() => {}); });
})();
