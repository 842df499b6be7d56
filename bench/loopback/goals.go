package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// goal is what the proxy is to reach, and whether it does.
type goal struct {
	what  string
	limit string
	found string
	met   bool
	known bool
}

// bound is a goal that figures must not exceed; the worst of them decides.
func (r *report) bound(what, limit string, most float64, decimals int, unit string, values []named) goal {
	g := goal{what: what, limit: limit}
	values = slices.DeleteFunc(values, func(v named) bool { return math.IsNaN(v.value) })
	if len(values) == 0 {
		return g
	}
	worst := slices.MaxFunc(values, func(a, b named) int { return cmp.Compare(a.value, b.value) })
	best := slices.MinFunc(values, func(a, b named) int { return cmp.Compare(a.value, b.value) })
	g.known, g.met = true, worst.value <= most
	g.found = fmt.Sprintf("%.*f%s", decimals, worst.value, unit)
	if len(values) > 1 {
		g.found = fmt.Sprintf("%.*f to %s (%s)", decimals, best.value, g.found, worst.name)
		within := 0
		for _, v := range values {
			if v.value <= most {
				within++
			}
		}
		if !g.met {
			g.found += fmt.Sprintf("; %d of %d within", within, len(values))
		}
	}
	return g
}

// named is a figure of a pair.
type named struct {
	name  string
	value float64
}

// ours takes something of the cells of the proxy in a mode.
func (r *report) ours(mode string, of func(c *cell) float64) (all []named) {
	for _, c := range r.of(mode) {
		if c.Target == sabir {
			all = append(all, named{c.stream(), of(c)})
		}
	}
	return all
}

// median of a figure, not a number if it is not known.
func median(of func(*sample) float64) func(*cell) float64 {
	return func(c *cell) float64 {
		if f := c.figure(of); f.low >= 0 {
			return f.median
		}
		return math.NaN()
	}
}

// ratioTo is the ratio to the floor, if it is of that name.
func (r *report) ratioTo(floor string, of func(*sample) float64) func(*cell) float64 {
	return func(c *cell) float64 {
		f := r.floor(c)
		if f == nil || f.Target != floor || len(f.Samples) == 0 {
			return math.NaN()
		}
		if x := c.ratio(f, of); x.low >= 0 {
			return x.median
		}
		return math.NaN()
	}
}

func (r *report) latencyBeyond(of func(*sample) float64) func(*cell) float64 {
	return func(c *cell) float64 {
		if more, ok := r.beyondDirect(c, of); ok {
			return more
		}
		return math.NaN()
	}
}

// goals are those of the project, in the order of the modes.
func (r *report) goals() []goal {
	passes := slices.DeleteFunc(r.ours(flowing, func(c *cell) float64 {
		if c.From != c.To {
			return math.NaN()
		}
		return r.ratioTo(reverse, perEvent)(c)
	}), func(n named) bool { return math.IsNaN(n.value) })
	return []goal{
		r.bound("flowing, streams as servers write them: CPU per million events", "at most 1.0 s", 1, 2, " s", r.ours(shapes, median(perEvent))),
		r.bound("flowing, the repeating form: CPU per million events, any pair", "at most 1.5 s", 1.5, 2, " s", r.ours(flowing, median(perEvent))),
		r.bound("the same, one segment per event", "at most 4 s", 4, 2, " s", r.ours(segmented, median(perEvent))),
		r.bound("flowing: CPU against the naive splice", "at most 1.5 ×", 1.5, 2, " ×", r.ours(flowing, r.ratioTo(splice, perEvent))),
		r.speed(),
		r.bound("paced: CPU against nginx passing the same bytes", "at most 1.35 ×", 1.35, 2, " ×", r.ours(paced, r.ratioTo(nginx, perEvent))),
		r.bound("paced: p50 beyond direct", "at most 0.15 ms", 0.15, 2, " ms", r.ours(paced, r.latencyBeyond(p50))),
		r.bound("paced: p99 beyond direct", "at most 2 ms", 2, 2, " ms", r.ours(paced, r.latencyBeyond(p99))),
		r.bound("codec alone, per text delta", "at most 0.6 µs", 0.6, 2, " µs", r.ours(codec, median(perEvent))),
		r.bound("codec alone, allocations per text delta", "0", 0.005, 2, "", r.ours(codec, median(allocs))),
		r.bound("memory per open slow stream", "at most 20 KB", 20, 1, " KB", r.ours(slow, median(memory))),
		r.bound("idle process", "at most 20 MB", 20, 1, " MB", r.ours(size, median(idle))),
		r.bound("program", "at most 30 MB", 30, 1, " MB", r.ours(size, median(binary))),
		r.bound("same-dialect pass-through: CPU against a Go pass-through", "at most 1.2 ×", 1.2, 2, " ×", passes),
		r.bound("cost against stream length: exponent", "linear: at most 1.05", 1.05, 3, "", r.exponents(length)),
		r.bound("cost against size of arguments: exponent", "linear: at most 1.05", 1.05, 3, "", r.exponents(arguments)),
		r.bound("cost per event against number of streams: spread", "flat within 25 %", 25, 0, " %", r.spreads()),
		r.bound("upstream cancelled after the client left, in silence: p99", "at most 50 ms", 50, 2, " ms", r.ours(cancel, median(p99))),
		r.stalls(),
	}
}

// speed is the goal that is a least, not a most.
func (r *report) speed() goal {
	const least = 400 // thousand events per second
	g := goal{what: "events translated per second, load and upstream on the same processors", limit: "at least 400 thousand"}
	values := slices.DeleteFunc(r.ours(flowing, median(rate)), func(n named) bool { return math.IsNaN(n.value) })
	if len(values) == 0 {
		return g
	}
	worst := slices.MinFunc(values, func(a, b named) int { return cmp.Compare(a.value, b.value) })
	best := slices.MaxFunc(values, func(a, b named) int { return cmp.Compare(a.value, b.value) })
	g.known, g.met = true, worst.value >= least
	g.found = fmt.Sprintf("%.0f to %.0f thousand (%s)", best.value, worst.value, worst.name)
	return g
}

// exponents fits, for each pair of a mode, the cost of a stream to its length: over all lengths, and over the longest
// three, where the price of opening a stream no longer matters.
func (r *report) exponents(mode string) (all []named) {
	const longest = 3
	for _, group := range r.byStream(mode, sabir) {
		var x, y []float64
		for _, c := range group {
			if cost := c.figure(perEvent); cost.low >= 0 {
				x, y = append(x, float64(c.Events)), append(y, float64(c.Events)*cost.median)
			}
		}
		if k := exponent(x, y); !math.IsNaN(k) {
			all = append(all, named{group[0].stream(), k})
		}
		if n := len(x); n > longest {
			all = append(all, named{group[0].stream() + ", the longest three", exponent(x[n-longest:], y[n-longest:])})
		}
	}
	return all
}

// spreads says, for each pair, by how many percent the dearest number of streams is above the cheapest.
func (r *report) spreads() (all []named) {
	for _, group := range r.byStream(count, sabir) {
		var y []float64
		for _, c := range group {
			y = append(y, c.figure(perEvent).median)
		}
		if s := spread(y); !math.IsNaN(s) {
			all = append(all, named{group[0].stream(), 100 * s})
		}
	}
	return all
}

// byStream lists the cells of one target, those of each pair together.
func (r *report) byStream(mode, target string) (groups [][]*cell) {
	at := map[string]int{}
	for _, c := range r.of(mode) {
		if c.Target != target {
			continue
		}
		if _, ok := at[c.stream()]; !ok {
			at[c.stream()] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[c.stream()]] = append(groups[at[c.stream()]], c)
	}
	return groups
}

// stalls compares the longest delay under an operator with that without, round by round.
func (r *report) stalls() goal {
	var values []named
	with, without := r.find(upkeep, upkept), r.find(upkeep, sabir)
	if with != nil && without != nil && len(with.Samples) > 0 && len(without.Samples) > 0 {
		more := with.figure(longest).median - without.figure(longest).median
		values = append(values, named{with.stream(), max(0, more)})
	}
	g := r.bound("reload and scrape under load: longest delay beyond that without, nothing dropped", "at most 5 ms, 0 streams", 5, 2, " ms", values)
	if g.known {
		bad := 0
		for _, s := range with.Samples {
			bad += s.Bad
		}
		g.met = g.met && bad == 0
		g.found += fmt.Sprintf(" (%s → %s ms), %d streams", without.figure(longest).format(1), with.figure(longest).format(1), bad)
	}
	return g
}

// goalTable writes the goals, as far as they were measured.
func (r *report) goalTable(b *strings.Builder) {
	b.WriteString("\n| goal | limit | measured | |\n|---|---|---|---|\n")
	for _, g := range r.goals() {
		verdict := "**not met**"
		switch {
		case !g.known:
			g.found, verdict = "-", "not measured"
		case g.met:
			verdict = "met"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", g.what, g.limit, g.found, verdict)
	}
}
