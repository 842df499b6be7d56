package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// Modes of measurement, in the order in which they are made.
const (
	size      = "size"
	codec     = "codec"
	flowing   = "flowing"
	segmented = "segmented"
	recorded  = "recorded"
	shapes    = "shapes"

	shapesSegmented = "shapes-segmented"
	shapesPaced     = "shapes-paced"

	peersFlow   = "peers"
	paced       = "paced"
	peersPaced  = "peers-paced"
	upkeep      = "upkeep"
	slow        = "slow"
	peersSlow   = "peers-slow"
	count       = "count"
	length      = "length"
	arguments   = "arguments"
	cancel      = "cancel"
	profileMode = "profile"
)

var modes = []string{
	size, codec, flowing, segmented, recorded, shapes, shapesSegmented, shapesPaced, peersFlow, paced, peersPaced, upkeep, slow, peersSlow, count, length, arguments, cancel, profileMode,
}

// pair is a translation.
type pair struct{ from, to *hub.Dialect }

func (p pair) String() string { return p.from.Name + " → " + p.to.Name }

// chosen are the dialects between which a full run measures every pair.
var chosen = []string{"agui", "aisdk", "openai-chat", "openai-responses", "anthropic", "acp", "evolve", "agentevent"}

// usual are the pairs that are measured by default: each of the chosen dialects on either side, and two copies.
var usual = [][2]string{
	{"evolve", "agui"}, {"agentevent", "agui"}, {"agui", "evolve"}, {"openai-chat", "anthropic"}, {"anthropic", "openai-chat"},
	{"openai-responses", "aisdk"}, {"aisdk", "openai-responses"}, {"acp", "agentevent"}, {"openai-chat", "acp"},
	{"openai-chat", "openai-chat"}, {"agui", "agui"},
}

// few are the pairs of a short run.
var few = [][2]string{{"evolve", "agui"}, {"openai-chat", "anthropic"}, {"agui", "agui"}}

func (o *options) pairNames() (names [][2]string, err error) {
	switch {
	case o.from != "":
		return [][2]string{{o.from, o.to}}, nil
	case o.pairs == "usual" || o.pairs == "" && !o.short:
		return usual, nil
	case o.pairs == "few" || o.pairs == "":
		return few, nil
	case o.pairs == "all":
		for _, from := range chosen {
			for _, to := range chosen {
				names = append(names, [2]string{from, to})
			}
		}
		return names, nil
	}
	return nil, fmt.Errorf("-pairs %s: want few, usual or all", o.pairs)
}

func newPair(from, to string) (pr pair, err error) {
	if pr.from, err = adapters.Lookup(from); err != nil {
		return pr, err
	}
	pr.to, err = adapters.Lookup(to)
	if err == nil && (pr.from.NewEncoder == nil || pr.from.NewDecoder == nil || pr.to.NewEncoder == nil || pr.to.NewDecoder == nil) {
		err = fmt.Errorf("%s → %s cannot be measured: both must be read and written", from, to)
	}
	return pr, err
}

// cell is one line of the report: a target under one kind of load.
type cell struct {
	Mode     string        `json:"mode"`
	Target   string        `json:"target"`
	From     string        `json:"from"`
	To       string        `json:"to"`
	Streams  int           `json:"streams"`
	Events   int           `json:"events,omitempty"`
	Bytes    int           `json:"bytes,omitempty"`    // of arguments
	Recorded string        `json:"recorded,omitempty"` // name of the recording
	Interval time.Duration `json:"interval_ns,omitempty"`
	Quiet    float64       `json:"quiet,omitempty"`
	Samples  []sample      `json:"samples"`

	pair pair
	call call
	d    time.Duration
	good []byte // a body that was right

	recorded *bench.Recording // what is sent; nil for deltas with marks
}

func (c *cell) stream() string { return c.From + " → " + c.To }

// plan is what will be measured.
type plan struct {
	o     options
	pairs []pair
	cells []*cell
	files int // that a process can open

	dialects string // the folder of their packages; empty until a recording is needed
	rig      *rig
}

func newPlan(o options) (*plan, error) {
	names, err := o.pairNames()
	if err != nil {
		return nil, err
	}
	p := &plan{o: o, files: moreFiles()}
	for _, n := range names {
		pr, err := newPair(n[0], n[1])
		if err != nil {
			return nil, err
		}
		p.pairs = append(p.pairs, pr)
	}
	add := map[string]func() error{
		size: p.addSize, codec: p.addCodec, paced: p.addPaced, upkeep: p.addUpkeep, slow: p.addSlow, count: p.addCount,
		length: p.addLength, arguments: p.addArguments, cancel: p.addCancel, profileMode: p.addProfile,
		flowing:   func() error { return p.addFlowing(flowing) },
		segmented: func() error { return p.addFlowing(segmented) }, recorded: p.addRecorded,
		shapes: func() error { return p.addShapes(shapes) }, shapesSegmented: func() error { return p.addShapes(shapesSegmented) },
		shapesPaced: func() error { return p.addShapes(shapesPaced) },
		peersFlow:   func() error { return p.addPeers(peersFlow) }, peersPaced: func() error { return p.addPeers(peersPaced) },
		peersSlow: func() error { return p.addPeers(peersSlow) },
	}
	for _, mode := range o.modes() {
		if err := add[mode](); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// modes are those that were asked for, in their order.
func (o *options) modes() (all []string) {
	asked := strings.Split(o.mode, ",")
	for _, mode := range modes {
		peer := mode == peersFlow || mode == peersPaced || mode == peersSlow
		if slices.Contains(asked, mode) || slices.Contains(asked, "all") && (!peer || o.peers) {
			all = append(all, mode)
		}
	}
	return all
}

func (o *options) checkModes() error {
	for mode := range strings.SplitSeq(o.mode, ",") {
		if mode != "all" && !slices.Contains(modes, mode) {
			return fmt.Errorf("-mode %s: want all, or some of %s", mode, strings.Join(modes, ","))
		}
	}
	return nil
}

// add adds a line for a target. What copies bytes is given a pair of equal dialects.
func (p *plan) add(base cell, target string, pr pair) {
	switch target {
	case direct, raw, reverse, nginx:
		pr.to = pr.from
	}
	base.Target, base.pair, base.From, base.To = target, pr, pr.from.Name, pr.to.Name
	base.Quiet, base.Events, base.Interval = p.o.quiet, base.call.events, base.call.interval
	p.cells = append(p.cells, &base)
}

func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// brief chooses between a long run and a short one.
func brief[T any](p *plan, long, short T) T {
	if p.o.short {
		return short
	}
	return long
}

// rounds is how often a mode is measured.
func (p *plan) rounds(mode string) int {
	switch mode {
	case size, codec, profileMode:
		return 1
	case flowing, segmented:
		return or(p.o.rounds, brief(p, 5, 3))
	case slow, peersSlow, cancel, length, arguments:
		return or(min(p.o.rounds, 2), brief(p, 2, 1))
	}
	return or(p.o.rounds, brief(p, 3, 1))
}

// first is the pair that stands for all where pairs do not differ.
func (p *plan) first() (pair, error) {
	if p.o.from != "" {
		return newPair(p.o.from, p.o.to)
	}
	return newPair(few[0][0], few[0][1])
}

func splicePair(pr pair) (s spliceScript, ok bool) {
	const two = 2 // the first delta opens the text; the second is like all others
	from, err1 := bench.NewScript(pr.from, two)
	to, err2 := bench.NewScript(pr.to, two)
	if err1 != nil || err2 != nil {
		return s, false
	}
	return newSpliceScript(from, to)
}
