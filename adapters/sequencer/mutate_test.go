package sequencer_test

import (
	"math/rand/v2"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// mutation does to a stream what upstreams and networks of ours have done.
type mutation struct {
	name  string
	apply func(*rand.Rand, []hub.Event) []hub.Event
}

var mutations = []mutation{
	{"swap", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		i, j := r.IntN(len(evs)), r.IntN(len(evs))
		evs[i], evs[j] = evs[j], evs[i]
		return evs
	}},
	{"swap neighbours", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		if len(evs) > 1 {
			i := r.IntN(len(evs) - 1)
			evs[i], evs[i+1] = evs[i+1], evs[i]
		}
		return evs
	}},
	{"move", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		i := r.IntN(len(evs))
		ev := evs[i]
		evs = slices.Delete(evs, i, i+1)
		return slices.Insert(evs, r.IntN(len(evs)+1), ev)
	}},
	{"lose", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		i := r.IntN(len(evs))
		return slices.Delete(evs, i, i+1)
	}},
	{"repeat", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		return slices.Insert(evs, r.IntN(len(evs)+1), evs[r.IntN(len(evs))])
	}},
	{"orphan", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		return slices.Insert(evs, r.IntN(len(evs)+1), orphans[r.IntN(len(orphans))])
	}},
	{"cut", func(r *rand.Rand, evs []hub.Event) []hub.Event {
		return evs[:1+r.IntN(len(evs))]
	}},
}

// orphans belong to nothing that was ever started.
var orphans = []hub.Event{
	{Kind: hub.ToolUpdate, ID: []byte("orphan1"), Text: []byte("o")},
	{Kind: hub.ToolOutput, ID: []byte("orphan2"), Text: []byte("o")},
	{Kind: hub.ToolEnd, ID: []byte("orphan3"), Status: hub.StatusOK, Text: []byte("o")},
	{Kind: hub.ToolArgs, ID: []byte("orphan4"), Text: []byte("{}")},
	{Kind: hub.Ask, ID: []byte("orphan5"), Ref: []byte("orphan6"), AskKind: hub.AskPermission},
	{Kind: hub.Answer, ID: []byte("orphan7"), Status: hub.StatusChosen},
	{Kind: hub.TextEnd, ID: []byte("orphan8")},
	{Kind: hub.StepEnd, ID: []byte("orphan9"), Status: hub.StatusDone},
	{Kind: hub.AgentEnd, ID: []byte("orphan10"), Status: hub.StatusOK},
	{Kind: hub.ToolUpdate, Text: []byte("no id")},
	{Kind: hub.Notice, SubAgent: []byte("orphan11"), Text: []byte("o")},
}

// mutate applies one to three mutations to a copy of evs and says which.
func mutate(r *rand.Rand, evs []hub.Event) (out []hub.Event, names string) {
	out = slices.Clone(evs)
	for range 1 + r.IntN(3) {
		m := mutations[r.IntN(len(mutations))]
		if len(out) == 0 {
			break
		}
		out = m.apply(r, out)
		names += m.name + ", "
	}
	return out, names
}
