package hub

import (
	"hash/fnv"
	"reflect"
	"testing"
)

// TestCountsAdd: what is unknown adds nothing, and is known once something was added.
func TestCountsAdd(t *testing.T) {
	a := NoCounts
	a.In, a.Cached = 3, 0
	a.Add(&Counts{In: 4, Out: 5, Total: 0, Cached: -1, CacheWrite: -1, ReasoningTokens: 1, ContextUsed: 9})
	want := Counts{In: 7, Out: 5, Total: 0, Cached: 0, CacheWrite: -1, ReasoningTokens: 1, ContextUsed: -1, ContextSize: -1}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v, want %+v", a, want)
	}
}

// TestHashes: hashes are those of FNV-1a, so that replicas of other versions know the ids.
func TestHashes(t *testing.T) {
	for _, id := range []string{"", "a", "msg_1", "\x00\xff"} {
		h := fnv.New64a()
		h.Write([]byte(id))
		if got, want := hashOf([]byte(id)), h.Sum64(); got != want {
			t.Errorf("%q: got %x, want %x", id, got, want)
		}
	}
}

// TestDetachedRequestOnly: a detached request keeps what encoders ask of it, with its ids in order, and lets go of the rest.
func TestDetachedRequestOnly(t *testing.T) {
	ids := new(IDSet)
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		ids.Add([]byte(id))
	}
	r := Request{
		Thread: []byte("t"), Run: []byte("r"), Previous: []byte("p"), Session: []byte("s"), Answer: []byte("a"), MessageIDs: ids, Body: []byte("{}"),
		Messages: []Message{{}}, Answers: []Decision{{}}, Choice: ToolChoice{Mode: ChoiceAuto}, Settings: Settings{User: []byte("u")},
		State: []byte("{}"), Context: []Context{{}}, Extra: Meta{Dialect: "d"}, Said: []Message{{}}, Header: func(string) string { return "" },
	}
	r.Tools.Define(Tool{Name: []byte("f")})
	r.History.Add(PastCall{ID: []byte("c")})
	r.Detach()
	if !ids.sorted {
		t.Error("the ids are not ready for several goroutines")
	}
	tools, history := r.Tools, r.History
	said := []Message{{}}
	want := Request{Thread: []byte("t"), Run: []byte("r"), Previous: []byte("p"), Session: []byte("s"), Answer: []byte("a"), MessageIDs: ids, Tools: tools, History: history, Said: said}
	if !reflect.DeepEqual(r, want) || !r.Tools.Has([]byte("f")) || r.Tools.Defs != nil {
		t.Errorf("got %+v, want %+v", r, want)
	}
	shown := r.Detached()
	want = Request{Thread: []byte("t"), Run: []byte("r"), Previous: []byte("p"), Session: []byte("s"), Answer: []byte("a")}
	if !reflect.DeepEqual(shown.Request, want) || !shown.ShowsIDs || len(shown.IDs) != 6 || len(shown.Past) != 1 || len(shown.Names) != 1 {
		t.Errorf("shown is %+v", shown)
	}
}
