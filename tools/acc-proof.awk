# SPDX-License-Identifier: BSD-3-Clause
# acc-proof.awk FILES -- part of acc-proof.sh. FILES has a line "SCENARIO runs.csv" for each scenario.
# Prints mean rewards over seeds by policy and scenario, the constant tuned on the judged scenarios, and
# the oracle. A scenario is judged, a null case, or held out.

# Splits a line of CSV with quoted fields into part[1..n]; returns n.
function fields(line, part,   n, c, i, quoted, text) {
	n = 1
	part[1] = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\"")
			quoted = !quoted
		else if (c == "," && !quoted)
			part[++n] = ""
		else
			part[n] = part[n] c
	}
	return n
}

# The value of "key=" in a scheme, up to the next comma or the end.
function option(spec, key,   text) {
	text = spec
	if (!sub(".*[(, ]" key "=", "", text))
		return ""
	sub("[,)].*", "", text)
	return text
}

function kilobytes(text) {
	if (text ~ /MB$/)
		return text * 1000
	return text + 0
}

# A short name: 5/200/100, SECN1, SECN2, patience, untrained, random, or the model's file.
function policy(spec, rate,   p, name) {
	if (spec ~ /^fixed/) {
		p = option(spec, "p") * 100
		name = kilobytes(option(spec, "min")) "/" kilobytes(option(spec, "max")) "/" p
		if (name == "5/200/1")
			return "SECN1"
		if (p == 20)
			return "SECN2"
		return name
	}
	if (spec !~ /^acc/) {
		sub(/\(.*/, "", spec)
		return spec
	}
	if (option(spec, "policy") != "trained")
		return option(spec, "policy")
	name = option(spec, "model")
	sub(/.*\//, "", name)
	sub(/[.]model$/, "", name)
	return name
}

{
	scenario[++scenarios] = $1
	file = $2
	getline line < file
	n = fields(line, head)
	for (i = 1; i <= n; i++)
		at[head[i]] = i
	while ((getline line < file) > 0) {
		fields(line, part)
		name = policy(part[at["switch.tune"]])
		if (!(name in seen)) {
			seen[name] = 1
			order[++policies] = name
		}
		sum[name, $1] += part[at["reward"]]
		count[name, $1]++
		if (part[at["iops"]] != "") {
			has_ios[$1] = 1
			ios[name, $1] += part[at["iops"]]
		} else if (part[at["fct_mean_ns"]] != "") {
			has_fct[$1] = 1
			mean[name, $1] += part[at["fct_mean_ns"]]
			p99[name, $1] += part[at["fct_p99_ns"]]
		}
	}
	close(file)
}

function kind(which) {
	return which ~ /^judged-/ ? "judged" : which ~ /^null-/ ? "null" : "held out"
}

# The mean reward of a policy over scenarios of a kind.
function over(name, which,   k, total, number) {
	for (k = 1; k <= scenarios; k++)
		if (kind(scenario[k]) == which) {
			total += sum[name, scenario[k]] / count[name, scenario[k]]
			number++
		}
	return number ? total / number : 0
}

function row(name, label,   k) {
	printf "%-16s", label
	for (k = 1; k <= scenarios; k++)
		if (scenario[k] !~ /^judged-/)
			printf " %12.4f", sum[name, scenario[k]] / count[name, scenario[k]]
	printf " %12.4f %12.4f %12.4f\n", over(name, "held out"), over(name, "null"), over(name, "judged")
}

# The best constant of each scenario, in hindsight.
function best_constant(which,   k, value, best) {
	for (k = 1; k <= policies; k++)
		if (order[k] ~ /\//) {
			value = sum[order[k], which] / count[order[k], which]
			if (value > best)
				best = value
		}
	return best
}

END {
	printf "%-16s", "reward"
	for (k = 1; k <= scenarios; k++)
		if (scenario[k] !~ /^judged-/)
			printf " %12s", scenario[k]
	printf " %12s %12s %12s\n", "held out", "null", "judged"
	for (i = 1; i <= policies; i++) {
		row(order[i], order[i])
		if (order[i] ~ /\// && (tuned == "" || over(order[i], "judged") > over(tuned, "judged")))
			tuned = order[i]
	}
	row(tuned, "tuned constant")
	printf "%-16s", "oracle"
	for (k = 1; k <= scenarios; k++) {
		value = best_constant(scenario[k])
		total[kind(scenario[k])] += value
		number[kind(scenario[k])]++
		if (kind(scenario[k]) != "judged")
			printf " %12.4f", value
	}
	printf " %12.4f %12.4f %12.4f\n", total["held out"] / number["held out"], total["null"] / number["null"], \
		number["judged"] ? total["judged"] / number["judged"] : 0
	for (k = 1; k <= scenarios; k++) {
		if (has_ios[scenario[k]]) {
			printf "\nI/Os a second, %s\n", scenario[k]
			for (i = 1; i <= policies; i++)
				printf "%-16s %12.0f\n", order[i], ios[order[i], scenario[k]] / count[order[i], scenario[k]]
		}
		if (!has_fct[scenario[k]] || scenario[k] ~ /^judged-/)
			continue
		printf "\ncompletion time, %s: mean and p99 in us\n", scenario[k]
		for (i = 1; i <= policies; i++)
			printf "%-16s %12.1f %12.1f\n", order[i], mean[order[i], scenario[k]] / count[order[i], scenario[k]] / 1000, \
				p99[order[i], scenario[k]] / count[order[i], scenario[k]] / 1000
	}
}
