package blocks

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

func TestList(t *testing.T) {
	var l List
	l.Open([]byte(" 1"), Text)
	l.Open([]byte(`"b"`), Call).ID = []byte("id")
	if b := l.Find(rawjson.Value(`"b"`)); b == nil || b.Kind != Call {
		t.Errorf("found %v", b)
	}
	if b := l.Find(rawjson.Value("2")); b != nil {
		t.Errorf("found %v, which was not opened", b)
	}
	var s hub.Scratch
	end := func(dst []hub.Event, b *Block) []hub.Event {
		return append(dst, hub.Event{Kind: hub.TextEnd, ID: b.Part(&s)})
	}
	dst := l.CloseAll(l.Close(l.Close(nil, nil, end), l.Find(rawjson.Value(`"b"`)), end), end)
	if len(dst) != 2 || string(dst[0].ID) != "b" || string(dst[1].ID) != "1" || len(l.All()) > 0 {
		t.Errorf("ended %v, open %v", dst, l.All())
	}
	if b := l.Open([]byte("3"), Text); len(b.ID) > 0 {
		t.Errorf("a new block has the id %s of an old one", b.ID)
	}
}

// TestCite: citations wait for the first character of a text, within bounds.
func TestCite(t *testing.T) {
	var l List
	var s hub.Scratch
	citation := rawjson.Value(`{"n":1}`)
	b := l.Open([]byte("0"), Text)
	if b.Cites() || !b.Cite(citation) || !b.Cite(citation) || !b.Cites() {
		t.Error("citations do not wait")
	}
	if list := b.Release(&s); string(list) != `[{"n":1},{"n":1}]` || b.Cites() {
		t.Errorf("released %s", list)
	}
	if b.Cite(rawjson.Value(strings.Repeat("x", maxCites))) {
		t.Error("a citation beyond the bound waits")
	}
	b.Spoke = true
	if b.Cite(citation) || l.Open([]byte("1"), Reasoning).Cite(citation) {
		t.Error("a citation waits where there is nothing to wait for")
	}
}
