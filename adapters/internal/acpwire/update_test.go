package acpwire_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
)

// TestReadNotice: a title stands for the text where there is no description.
func TestReadNotice(t *testing.T) {
	f := func(update string, level hub.Level, title, text string) {
		t.Helper()
		var ev hub.Event
		acpwire.ReadNotice(&ev, []byte(update))
		if ev.Level != level || string(ev.Title) != title || string(ev.Text) != text {
			t.Errorf("%s: got %s %q %q, want %s %q %q", update, ev.Level, ev.Title, ev.Text, level, title, text)
		}
	}
	f(`{"severity":"warning","title":"a"}`, hub.LevelWarning, "", "a")
	f(`{"severity":"error","title":"a","description":"b"}`, hub.LevelError, "a", "b")
	f(`{"severity":"odd","title":"a","description":""}`, hub.LevelInfo, "", "a")
}

// TestReadContextUsage: what is no number is unknown, and a currency without an amount means nothing.
func TestReadContextUsage(t *testing.T) {
	c := hub.NoCounts
	acpwire.ReadContextUsage(&c, []byte(`{"used":12,"size":"big","cost":{"amount":0.5,"currency":"EUR"}}`))
	if c.ContextUsed != 12 || c.ContextSize != -1 || string(c.Cost) != "0.5" || string(c.Currency) != "EUR" {
		t.Errorf("got %+v", c)
	}
	c = hub.NoCounts
	acpwire.ReadContextUsage(&c, []byte(`{"used":-1,"cost":{"currency":"EUR"}}`))
	if c.ContextUsed != -1 || c.Cost != nil || c.Currency != nil {
		t.Errorf("got %+v", c)
	}
}
