package auth

import (
	"reflect"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/config"
)

// TestKeys: keys may stand in several fields, if they are of one client; one that is not known may be for the upstream.
func TestKeys(t *testing.T) {
	t.Parallel()
	keys, err := NewKeys([]config.Key{
		{Name: "web", SHA256: "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"}, // key
		{Name: "app", SHA256: "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"}, // secret
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bearer, api, google string
		want                Result
		who                 string
		used                []string
	}{
		{"", "", "", Missing, "", nil},
		{"key", "", "", OK, "web", []string{"authorization"}},
		{"", "secret", "", OK, "app", []string{"x-api-key"}},
		{"", "", "key", OK, "web", []string{"x-goog-api-key"}},
		{"key", "key", "", OK, "web", []string{"authorization", "x-api-key"}},
		{"other", "key", "", OK, "web", []string{"x-api-key"}},
		{"key", "other", "other", OK, "web", []string{"authorization"}},
		{"key", "secret", "", Refused, "", nil},
		{"other", "other", "", Refused, "", nil},
	} {
		var h fasthttp.RequestHeader
		for name, value := range map[string]string{apiKeyHeader: c.api, googleKeyHeader: c.google} {
			h.Set(name, value)
		}
		if c.bearer != "" {
			h.Set(fasthttp.HeaderAuthorization, "Bearer "+c.bearer)
		}
		got := keys.Check(&Request{Header: &h})
		if got.Result != c.want || got.Who != c.who || !reflect.DeepEqual(got.Used, c.used) || (got.Why == "") != (c.want == OK) {
			t.Errorf("%q, %q, %q: %+v", c.bearer, c.api, c.google, got)
		}
	}
}

// TestKeyHashes: what is no hash is no key.
func TestKeyHashes(t *testing.T) {
	t.Parallel()
	for _, sum := range []string{"", "00", "zz", "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b6", "xc70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"} {
		if _, err := KeyOf(sum); err == nil {
			t.Errorf("%q is taken for a hash", sum)
		}
	}
}
