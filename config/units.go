package config

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes, written plainly or with a unit: 512, 64KiB, 1.5MB.
type Size int64

// Units of [Size].
const (
	B   Size = 1
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
)

// sizeUnits in the order they are tried in: a unit stands before those it ends with.
var sizeUnits = []struct {
	name  string
	bytes Size
}{{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", B}, {"", B}}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	digits, unit := splitSize(string(text))
	n, err := parseBytes(digits, unit)
	if err != nil {
		return fmt.Errorf("%s is not a size such as 512, 64KiB or 8MiB", quote(string(text)))
	}
	*s = n
	return nil
}

func splitSize(text string) (digits string, unit Size) {
	for _, u := range sizeUnits {
		if digits, found := strings.CutSuffix(text, u.name); found {
			return strings.TrimSuffix(digits, " "), u.bytes
		}
	}
	return text, B
}

// parseBytes multiplies the decimal number in digits by unit; fractions of a byte are refused.
func parseBytes(digits string, unit Size) (Size, error) {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		if n > math.MaxInt64/int64(unit) || n < math.MinInt64/int64(unit) {
			return 0, strconv.ErrRange
		}
		return Size(n) * unit, nil
	}
	if strings.Trim(digits, "0123456789.") != "" {
		return 0, strconv.ErrSyntax
	}
	// Fractions are exact here for every size a computer has; above 2^53 they are not, and are refused.
	f, err := strconv.ParseFloat(digits, 64)
	f *= float64(unit)
	if err != nil || f != math.Trunc(f) || f >= 1<<53 {
		return 0, strconv.ErrSyntax
	}
	return Size(f), nil
}

// MarshalText implements encoding.TextMarshaler: the largest unit that leaves a whole number.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s Size) String() string {
	for _, u := range sizeUnits[:3] { // the powers of 1024, which is what memory is counted in
		if s != 0 && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// parseDuration reads a duration in Go syntax, and explains the two usual mistakes.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err == nil {
		return d, nil
	}
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return 0, fmt.Errorf("%s has no unit; for seconds write %s", quote(s), clip(s)+"s")
	}
	if digits, found := strings.CutSuffix(s, "d"); found {
		if n, err := strconv.ParseUint(digits, 10, 16); err == nil {
			return 0, fmt.Errorf("%s: days are no unit; write %dh", quote(s), 24*n)
		}
	}
	return 0, fmt.Errorf("%s is not a duration such as 250ms, 30s or 5m", quote(s))
}

// URL is the address of an upstream. It has a scheme and a host, and neither user nor fragment.
type URL struct{ url.URL }

// UnmarshalText implements encoding.TextUnmarshaler. Its errors do not repeat the text, which may hold a key.
func (u *URL) UnmarshalText(text []byte) error {
	v, err := url.Parse(string(text))
	if err != nil {
		return errors.New("is not a URL such as http://127.0.0.1:9000/stream")
	}
	switch {
	case slices.Contains([]string{"http", "https", "ws", "wss"}, v.Scheme):
	case v.Scheme == "" || v.Opaque != "": // host:port without more reads as scheme:opaque
		return errors.New("needs a scheme: http, https, ws or wss, as in http://127.0.0.1:9000/stream")
	default:
		return fmt.Errorf("cannot use scheme %s; http, https, ws and wss are known", quote(v.Scheme))
	}
	switch {
	case v.Hostname() == "":
		return errors.New("needs a host, as in http://127.0.0.1:9000/stream")
	case v.Port() != "" && !isPort(v.Port()):
		return errors.New("has a port that is not between 1 and 65535")
	case v.User != nil:
		return errors.New("must not hold a user or password; use headers.set with Authorization")
	case v.Fragment != "" || strings.Contains(string(text), "#"):
		return errors.New("must not have a #fragment; servers never see it")
	}
	u.URL = *v
	return nil
}

// isPort reports whether s is a port that can be called.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n != 0
}

// MarshalText implements encoding.TextMarshaler. It hides the values of the query, which may be keys.
func (u URL) MarshalText() ([]byte, error) {
	v := u.URL
	query := v.Query()
	for key := range query {
		query.Set(key, hidden)
	}
	v.RawQuery = query.Encode()
	return []byte(v.String()), nil
}

// Secure reports whether connections to the URL use TLS.
func (u *URL) Secure() bool { return u.Scheme == "https" || u.Scheme == "wss" }

// WebSocket reports whether the URL is called by WebSocket.
func (u *URL) WebSocket() bool { return u.Scheme == "ws" || u.Scheme == "wss" }

// Secret is text that is never printed: only string(s) gives it away.
type Secret string

const hidden = "(hidden)"

// Hidden reports whether only the text is there that stands for a secret where one is printed.
func (s Secret) Hidden() bool { return s == hidden }

func (s Secret) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return hidden }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
