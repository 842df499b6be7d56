package simplified_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/simplified"
)

// TestDeepNesting nests sub-agents deeper than is followed: the rest stays raw and comes back.
func TestDeepNesting(t *testing.T) {
	frame := `{"type":"response","data":"deep"}`
	for i := range 40 {
		frame = fmt.Sprintf(`{"type":"subagent_data","subagentId":"s%d","subagentName":"n","data":%s}`, 40-i, frame)
	}
	dec := simplified.Dialect.NewDecoder(options(t))
	evs := decode(t, dec, frame)
	if last := evs[len(evs)-1]; len(evs) != 9 || last.Kind != hub.Raw || string(last.SubAgent) != "s8" {
		t.Errorf("got\n%s", adaptertest.Lines(evs))
	}
	if got := encode(t, options(t), evs...); !strings.Contains(got, frame[:len(frame)-1]+`,"messageId":"`) {
		t.Errorf("got %s", got)
	}
}

// TestManyLanes opens more sub-agents than are remembered: what was kept back for the oldest is not lost.
func TestManyLanes(t *testing.T) {
	dec := simplified.Dialect.NewDecoder(options(t))
	var got string
	for i := range 300 {
		got = adaptertest.Lines(decode(t, dec, fmt.Sprintf(`{"type":"subagent_data","subagentId":"s%d","data":{"type":"response","data":"a<"}}`, i)))
		if held := fmt.Sprintf(`{"kind":"text.delta","lane":"s%d","text":"<"}`, i-256); strings.Contains(got, held) != (i >= 256) {
			t.Fatalf("sub-agent %d: got\n%s", i, got)
		}
	}
	if got = adaptertest.Lines(dec.Finish(nil, nil)); strings.Count(got, `"text":"<"`) != 256 {
		t.Errorf("at the end: got\n%s", got)
	}
}

// TestManySources has more documents than are remembered.
func TestManySources(t *testing.T) {
	dec := simplified.Dialect.NewDecoder(options(t))
	doc := func(i int) string { return fmt.Sprintf(`{"metadata":{"url":"https://x/%d"}}`, i) }
	for i := range 5000 {
		decode(t, dec, `{"type":"sources_added","data":[`+doc(i)+`]}`)
	}
	if n := len(decode(t, dec, `{"type":"sources","data":[`+doc(0)+`,`+doc(4999)+`]}`)); n != 1 {
		t.Errorf("the final list gives %d documents, want the one that was forgotten", n)
	}
}

// TestFinalSourcesBounded writes more documents than are kept for the list at the end.
func TestFinalSourcesBounded(t *testing.T) {
	quote := bytes.Repeat([]byte("x"), 100<<10)
	var events []hub.Event
	for range 20 {
		events = append(events, hub.Event{Kind: hub.Source, ID: []byte("1"), Text: quote})
	}
	text := encode(t, options(t), append(events, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})...)
	all := lines(text)
	if list := all[len(all)-2]; !strings.HasPrefix(list, `{"type":"sources",`) || len(list) > 1<<20+1<<10 || len(list) < 900<<10 {
		t.Errorf("the list has %d bytes: %.80s", len(list), list)
	}
}
