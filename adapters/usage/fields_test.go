package usage

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

var fields = Fields{
	At(In, "tokens"), At(In, "in"), At(Cached, "in_details.cached"), At(CacheWrite, "in_details.written"), At(Out, "out"),
	At(Reasoning, "out_details.thoughts"),
}

func TestFieldsRead(t *testing.T) {
	f := func(v string, some bool, in, cached, thoughts int64) {
		t.Helper()
		c := hub.NoCounts
		if got := fields.Read(&c, []byte(v)); got != some || c.In != in || c.Cached != cached || c.ReasoningTokens != thoughts || c.Out >= 0 {
			t.Errorf("%s: got %t, %+v", v, got, c)
		}
	}
	f(`{}`, false, -1, -1, -1)
	f(`null`, false, -1, -1, -1)
	f(`{"in":-2,"out":"3","tokens":1.5}`, false, -1, -1, -1)
	f(`{"in":1,"tokens":2}`, true, 1, -1, -1)
	f(`{"tokens":2,"in_details":{"cached":0},"out_details":{"thoughts":4}}`, true, 2, 0, 4)
}

func TestFieldsAppend(t *testing.T) {
	f := func(want string, c hub.Counts) {
		t.Helper()
		if got := string(fields[1:].Append([]byte("{"), &c)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	c := hub.NoCounts
	f(`{`, c)
	c.ReasoningTokens = 5
	f(`{"out_details":{"thoughts":5}`, c)
	c.Cached, c.Out = 0, 7
	f(`{"in_details":{"cached":0},"out":7,"out_details":{"thoughts":5}`, c)
	c.In, c.CacheWrite, c.Out = 9, 8, -1
	f(`{"in":9,"in_details":{"cached":0,"written":8},"out_details":{"thoughts":5}`, c)
	f(`{"in":9,"in_details":{"cached":0,"written":8},"out":0,"out_details":{"thoughts":5}`, Known(c))
	if k := Known(c); k.Total != 9 {
		t.Errorf("a total of %d", k.Total)
	}
}
