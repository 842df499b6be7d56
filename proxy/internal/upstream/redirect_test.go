package upstream

import (
	"net/url"
	"strings"
	"testing"
)

// TestResolveRedirect: where a redirect leads, and whether that is where the request was sent: a port that is not named is the scheme's.
func TestResolveRedirect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, location, to string
		same               bool
	}{
		{"http://agent/run", "http://AGENT:80/there", "http://AGENT:80/there", true},
		{"https://agent:443/run", "https://agent/there", "https://agent/there", true},
		{"http://agent/run", "there", "http://agent/there", true},
		{"http://agent:8080/run", "//agent:8080/there", "http://agent:8080/there", true},
		{"http://agent/run", "http://agent:443/there", "http://agent:443/there", false},
		{"http://agent:8080/run", "http://agent/there", "http://agent/there", false},
		{"https://agent/run", "http://agent:443/there", "http://agent:443/there", false},
		{"http://agent/run", "http://other/there", "http://other/there", false},
		{"http://agent/run", "http://me@agent/there", "http://agent/there", false},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		to, same := resolveRedirect(base, c.location)
		if to == nil || loggable(to) != c.to || same != c.same {
			t.Errorf("%s from %s: %v, the same %t", c.location, c.base, to, same)
		}
	}
	long := &url.URL{Scheme: "http", Host: "agent", Path: "/" + strings.Repeat("é", 200), RawQuery: "key=secret"}
	if got := loggable(long); !strings.HasPrefix(got, "http://agent/%C3%A9") || !strings.HasSuffix(got, "…?[10 bytes of query]") || len(got) > 230 || len(got) < 200 {
		t.Errorf("a long one is %s", got)
	}
}
