package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Quota is how much one client may use. A client is who the route's auth has found, and on an open route the address that it calls
// from, of IPv6 the first 64 bits.
type Quota struct {
	// Requests, as in 10/s, 600/m or 1000/h; more are refused with status 429. Empty: any number.
	Rate Rate `yaml:"rate"`
	// How many of them may come at once. 0: as many as rate counts.
	Burst int `yaml:"burst" jsonschema:"minimum=0"`
	// Runs open at the same time, and connections of editors by HTTP; more are refused with status 429. 0: any number.
	Streams int `yaml:"streams" jsonschema:"minimum=0"`
	// Tokens that agents report for its runs; while more were used, further runs are refused with status 429. 0: any number.
	TokensPerMinute int `yaml:"tokens_per_minute" jsonschema:"minimum=0"`
	// The longest that one of its streams may last, where that is less than timeouts.stream. 0 is no limit.
	Stream time.Duration `yaml:"stream" jsonschema:"minimum=0"`
}

// Shed says when the process has more to do than it can.
type Shed struct {
	// How long work may wait for a processor, the median of a second, with more than 32 runs for each processor. 0 does not look at it.
	Delay time.Duration `yaml:"delay" jsonschema:"minimum=0"`
	// How much of GOMEMLIMIT may be in use after a collection of memory, in percent. 0, and without GOMEMLIMIT, does not look at it.
	Memory int `yaml:"memory" jsonschema:"minimum=0,maximum=100"`
}

// Rate is how often something may happen: so many times in a second, a minute or an hour.
type Rate struct {
	Count int
	Per   time.Duration
}

// ratePeriods are the units of a [Rate].
var ratePeriods = []struct {
	name string
	per  time.Duration
}{{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}}

// mostRate is the largest count of a rate.
const mostRate = 1_000_000_000

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Rate) UnmarshalText(text []byte) error {
	*r = Rate{}
	if len(text) == 0 {
		return nil
	}
	count, period, _ := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(count)
	for _, p := range ratePeriods {
		if p.name == period && err == nil && n > 0 && n <= mostRate {
			*r = Rate{Count: n, Per: p.per}
			return nil
		}
	}
	return fmt.Errorf("%s is not a rate such as 10/s, 600/m or 1000/h", quote(string(text)))
}

// MarshalText implements encoding.TextMarshaler.
func (r Rate) MarshalText() ([]byte, error) {
	if r.Count == 0 {
		return nil, nil
	}
	for _, p := range ratePeriods {
		if p.per == r.Per {
			return []byte(strconv.Itoa(r.Count) + "/" + p.name), nil
		}
	}
	return nil, errors.New("BUG: a rate of an unknown period")
}

// PerSecond is the rate by the second.
func (r Rate) PerSecond() float64 { return float64(r.Count) / r.Per.Seconds() }

// Quota is what all clients together may use.
func (l *Limits) Quota() Quota {
	return Quota{Rate: l.Rate, Burst: l.Burst, TokensPerMinute: l.TokensPerMinute}
}

// Quota is what all clients of the route together may use.
func (l *RouteLimits) Quota() Quota {
	return Quota{Rate: l.Rate, Burst: l.Burst, TokensPerMinute: l.TokensPerMinute}
}

// QuotaOf is what the client of a name may use on all routes together.
func (l *Limits) QuotaOf(name string) Quota {
	if q, ok := l.Principals[name]; ok && name != "" {
		return q
	}
	return l.Principal
}

// quotas checks the limits of clients.
func (v *validator) quotas() {
	l := &v.c.Limits
	v.burst("limits", l.Rate, l.Burst)
	v.burst("limits.principal", l.Principal.Rate, l.Principal.Burst)
	for name, q := range l.Principals {
		at := join("limits.principals", name)
		v.burst(at, q.Rate, q.Burst)
		v.check(name != "", at, "must be the name of a client, as auth finds it")
	}
	for i, r := range v.c.Routes {
		if at := index("routes", i) + ".limits"; r != nil {
			v.burst(at, r.Limits.Rate, r.Limits.Burst)
			v.burst(at+".principal", r.Limits.Principal.Rate, r.Limits.Principal.Burst)
		}
	}
}

// burst checks that a burst has a rate.
func (v *validator) burst(at string, rate Rate, burst int) {
	v.check(burst == 0 || rate.Count > 0 || v.found[at+".rate"], at+".burst", "has a meaning only with rate")
}
