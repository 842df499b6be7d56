package hub_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestDetached: a request that went to another process knows the same ids, calls and tools.
func TestDetached(t *testing.T) {
	t.Parallel()
	req := &hub.Request{Thread: []byte("t"), Call: []byte("7"), Usage: true, Time: 17, MessageIDs: new(hub.IDSet), Messages: []hub.Message{{Role: hub.RoleUser}}}
	req.MessageIDs.Add([]byte("m1"))
	req.MessageIDs.Add([]byte("m2"))
	for _, id := range []string{"c1", "c2", "c1"} {
		req.History.Add(hub.PastCall{ID: []byte(id), Name: []byte("f"), Args: []byte(`{}`), Msg: []byte("m2"), ClientRuns: true})
	}
	req.History.Known = true
	req.Tools.Known = true
	req.Tools.Add([]byte("f"))
	req.Header = func(string) string { return "" }
	req.Detach()
	data, err := json.Marshal(req.Detached())
	if err != nil {
		t.Fatal(err)
	}
	back := new(hub.Detached)
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatal(err)
	}
	got := back.Attach()
	if !got.MessageIDs.Has([]byte("m1")) || !got.MessageIDs.Has([]byte("m2")) || got.MessageIDs.Has([]byte("m3")) || got.MessageIDs.Len() != 2 {
		t.Error("other ids of messages")
	}
	if c := got.History.Find([]byte("c1")); c == nil || string(c.Msg) != "m2" || !c.ClientRuns || !got.History.Known || !got.Tools.Has([]byte("f")) || !got.Tools.Known {
		t.Errorf("another history or other tools: %+v", got)
	}
	if string(got.Thread) != "t" || string(got.Call) != "7" || !got.Usage || got.Time != 17 || got.Messages != nil {
		t.Errorf("%+v", got)
	}
	var calls []string
	for c := range got.History.Calls {
		calls = append(calls, string(c.ID))
	}
	if !slices.Equal(calls, []string{"c1", "c2", "c1"}) {
		t.Errorf("calls %v", calls)
	}
	if none := (&hub.Request{}).Detached().Attach(); !reflect.DeepEqual(none, &hub.Request{}) {
		t.Errorf("of nothing comes %+v", none)
	}
}
