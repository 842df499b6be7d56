package member_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestText: the error says whether a member is missing or of another type, and where.
func TestText(t *testing.T) {
	f := func(v, want, fault string) {
		t.Helper()
		got, err := member.Text([]byte(v), "a.b")
		if err == nil && fault == "" && string(got) == want {
			return
		}
		if err == nil || err.Error() != fault || got != nil {
			t.Errorf("%s: got %q, %v, want %q, %s", v, got, err, want, fault)
		}
	}
	f(`"a\"b"`, `a\"b`, "")
	f(`""`, "", "")
	f(``, "", "a.b: missing: want a string")
	f(`null`, "", "a.b: missing: want a string")
	f(`1`, "", "a.b: type: want a string")
}

// TestWrite: empty members are left out, and bodies are spliced as they are.
func TestWrite(t *testing.T) {
	out := wire.NewOut(wire.NDJSON)
	b := member.Open(out, `{"type":"`, []byte(`a\"b`))
	b = member.AppendText(b, `,"none":"`, nil)
	member.Close(out, member.AppendText(b, `,"some":"`, []byte("c")))
	if got := string(out.Buf); got != `{"type":"a\"b","some":"c"}`+"\n" || out.Records != 1 {
		t.Errorf("got %s in %d records", got, out.Records)
	}
}

// TestAppend: a member that is absent or unknown leaves no trace.
func TestAppend(t *testing.T) {
	f := func(got []byte, want string) {
		t.Helper()
		if string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(member.AppendRaw([]byte("{"), `"a":`, nil), "{")
	f(member.AppendRaw([]byte("{"), `"a":`, []byte("[1]")), `{"a":[1]`)
	f(member.AppendCount([]byte("{"), `"n":`, -1), "{")
	f(member.AppendCount([]byte("{"), `"n":`, 0), `{"n":0`)
	f(member.AppendInt([]byte("{"), `"n":`, -1), `{"n":-1`)
}

// TestMillis: a time that is none, or is not there, is unknown.
func TestMillis(t *testing.T) {
	for body, want := range map[string]int64{"1970-01-01T00:00:01.5Z": 1500, "1970-01-01T01:00:00+01:00": 0, "yesterday": 0, "": 0} {
		if got := member.Millis([]byte(body)); got != want {
			t.Errorf("%q: got %d, want %d", body, got, want)
		}
	}
}

// TestTimes: each time is written as if it were the first.
func TestTimes(t *testing.T) {
	var times member.Times
	for _, millis := range []int64{
		1790000000123, 1790000000124, 1790000000999, 1790000001000, 1790000001007, 1790000000080, 0, 7, 999, 1000, 1001, 12345, -1, -1000, -1001, 12346,
		math.MaxInt64, math.MinInt64, math.MaxInt64 - 1,
	} {
		if got, want := string(times.Append([]byte("{"), `"n":`, millis)), fmt.Sprintf(`{"n":%d`, millis); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestClock: a clock reads each time as if it were the first.
func TestClock(t *testing.T) {
	var c member.Clock
	for _, body := range []string{
		"2026-08-20T09:00:59.999Z", "2026-08-20T09:00:00.000Z", "2026-08-20T09:01:00.000Z", "2026-08-20T09:01:60.000Z", "2026-08-20T09:01:0x.000Z",
		"2026-08-20T09:01:07.12xZ", "2026-08-20T09:01:07.123+", "2026-08-20T09:01:07,123Z", "2026-08-20T09:01:07:123Z", "2026-08-20T09:01:07.123Z",
		"2026-08-20T9:01:07.1234Z", "2026-08-20T9:01:08.1234Z", "2026-08-20T09:01:08+01:00", "2026-08-20T09:01:08.1Z", "1969-12-31T23:59:58.500Z",
		"1969-12-31T23:59:59.500Z", "1970-01-01T00:00:00.500Z", "1970-01-01T00:00:01.500Z", "1970-01-01T00:00:02.500Z", "2026-02-30T09:00:00.000Z",
		"2026-02-30T09:00:01.000Z", "yesterday", "", "2026-08-20T09:01:07.123Z", "2026-08-20T09:01:08.124Z",
	} {
		if got, want := c.Millis([]byte(body)), member.Millis([]byte(body)); got != want {
			t.Errorf("%q: got %d, want %d", body, got, want)
		}
	}
}
