package langgraph

import "testing"

func TestBehind(t *testing.T) {
	f := func(body string, n int, want string) {
		t.Helper()
		if got := string(behind([]byte(body), n)); got != want {
			t.Errorf("%s behind %d bytes: %q, want %q", body, n, got, want)
		}
	}
	f(`ab`, 0, `ab`)
	f(`ab`, 1, `b`)
	f(`ab`, 2, ``)
	f(`ab`, 9, ``)
	f(`a\"b`, 2, `b`)
	f(`a\"b`, 3, `b`)
	f(`\\"`, 1, `"`)
	f(`\u00e9x`, 3, `x`)
	f(`\u00e9`, 6, ``)
	f(`☃x`, 1, `x`)
}
