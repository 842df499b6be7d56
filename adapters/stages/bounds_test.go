package stages_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/stages"
)

// sized is an event of so many bytes.
func sized(kind hub.Kind, n int) []hub.Event {
	return []hub.Event{{Kind: kind, Text: make([]byte, n)}}
}

// TestQueueBounds are 1024 events and 1 MiB where nothing else is said.
func TestQueueBounds(t *testing.T) {
	for _, none := range []int{0, -1} {
		q := queueData(none, none)
		for range 1024 {
			q.Push(nil, sized(hub.Data, 1024), 0)
		}
		if q.Len() != 1024 || q.Early != 0 {
			t.Errorf("%d are kept, %d left early", q.Len(), q.Early)
		}
		if q.Push(nil, sized(hub.Data, 0), 0); q.Len() != 1024 || q.Early != 1 {
			t.Errorf("with one more, %d are kept, %d left early", q.Len(), q.Early)
		}
		q.Reset()
		if q.Push(nil, sized(hub.Data, 1<<20), 0); q.Len() != 1 || q.Early != 0 {
			t.Errorf("of 1 MiB, %d are kept", q.Len())
		}
		if q.Push(nil, sized(hub.Data, 1), 0); q.Len() != 1 || q.Early != 1 {
			t.Errorf("with a byte more, %d are kept, %d left early", q.Len(), q.Early)
		}
	}
}

// TestQueueRoom: whatever has left makes room, in which way ever it left.
func TestQueueRoom(t *testing.T) {
	q := queueData(0, 10)
	for name, leave := range map[string]func(){
		"the text of its lane": func() { q.Push(nil, sized(hub.TextStart, 0), 0) },
		"the end of the run":   func() { q.Push(nil, sized(hub.RunEnd, 0), 0) },
		"Flush":                func() { q.Flush(nil, nil) },
		"Reset":                q.Reset,
	} {
		for range 3 {
			if out := q.Push(nil, sized(hub.Data, 10), 0); len(out) > 0 || q.Len() != 1 {
				t.Errorf("%s makes no room: %s", name, spoken(out))
			}
			leave()
		}
	}
}

// TestLinearRoom: what waits may have as much as was said, and whatever has left makes room.
func TestLinearRoom(t *testing.T) {
	l := stages.NewLinear(10)
	for name, leave := range map[string]func(){
		"the end of what is open": func() { l.Push(nil, []hub.Event{say(hub.TextEnd, "", "a")}, 0) },
		"Flush":                   func() { l.Flush(nil, nil) },
		"Reset":                   l.Reset,
	} {
		for range 3 {
			l.Push(nil, []hub.Event{say(hub.TextStart, "", "a")}, 0)
			if out := l.Push(nil, sized(hub.Notice, 10), 0); len(out) > 0 || l.Early != 0 {
				t.Errorf("%s makes no room: %s", name, spoken(out))
			}
			leave()
		}
	}
	l.Push(nil, []hub.Event{say(hub.TextStart, "", "a")}, 0)
	l.Push(nil, sized(hub.Notice, 9), 0)
	if out := l.Push(nil, sized(hub.Notice, 2), 0); len(out) != 1 || len(out[0].Text) != 9 || l.Early != 1 {
		t.Errorf("what does not fit: %s, %d early", spoken(out), l.Early)
	}
	if out := l.Push(nil, sized(hub.Notice, 8), 0); len(out) > 0 || l.Early != 1 {
		t.Errorf("what left early makes no room: %s", spoken(out))
	}

	for _, none := range []int{0, -1} {
		l := stages.NewLinear(none)
		l.Push(nil, []hub.Event{say(hub.TextStart, "", "a")}, 0)
		if l.Push(nil, sized(hub.Notice, 64<<20), 0); l.Early != 0 {
			t.Error("64 MiB do not fit")
		}
		if l.Push(nil, sized(hub.Notice, 1), 0); l.Early != 1 {
			t.Error("more than 64 MiB fit")
		}
	}
}
