package signatures

import (
	"encoding/base64"
	"testing"
)

// TestSealed: a value comes back as it was, and nothing else is taken for one.
func TestSealed(t *testing.T) {
	sig := AppendSealed([]byte("x"), []byte(`{"a":[1,"\u00e9`), []byte(`"]}`))[1:]
	if got := Opened(sig); !IsSealed(sig) || string(got) != `{"a":[1,"\u00e9"]}` {
		t.Errorf("got %s", got)
	}
	encode := base64.StdEncoding.EncodeToString
	for _, other := range []string{
		"", "EqQB/c2ln", sealedPrefix, sealedPrefix + "*", encode([]byte(`{"sabir":{}`)), encode([]byte(`{"sabir":1}`)),
		encode([]byte(`{"sabir":{"a":1}} {}`)), encode([]byte("{\"sabir\":{\"a\":\"\xff\"}}")), encode([]byte(`{"other":{}}`)),
	} {
		if got := Opened([]byte(other)); got != nil {
			t.Errorf("%s is taken for %s", other, got)
		}
	}
}

// TestNamesMember: the name of a member is distinguished from what a provider wants back.
func TestNamesMember(t *testing.T) {
	sig := SealMember("reasoning")
	if got := Opened(sig); string(got) != `{"member":"reasoning"}` || !NamesMember(sig) {
		t.Errorf("%s stands for %s", sig, got)
	}
	if encoded := base64.StdEncoding.EncodeToString([]byte(memberHead)); encoded != memberPrefix {
		t.Errorf("the prefix is %s", encoded)
	}
	for _, other := range [][]byte{nil, []byte("EqQB"), SealCall([]byte("c1"), []byte("EqQB")), AppendSealed(nil, []byte(`{"members":"x"}`))} {
		if NamesMember(other) {
			t.Errorf("%s names a member", other)
		}
	}
}
