package proxy

import (
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// clockSet is what the clock would have said at a time, had the clock of the day been set by d before. The monotonic reading is the same.
func clockSet(t time.Time, d time.Duration) time.Time {
	const secondsAt = 30 // of the first word of a time with a monotonic reading
	*(*uint64)(unsafe.Pointer(&t)) += uint64(int64(d/time.Second)) << secondsAt
	return t
}

// TestClockSet: the helper sets what it says, and nothing else.
func TestClockSet(t *testing.T) {
	now := time.Now()
	for _, d := range []time.Duration{time.Hour, -2 * time.Hour} {
		later := clockSet(now, d)
		if got := later.Unix() - now.Unix(); got != int64(d/time.Second) || later.Sub(now) != 0 {
			t.Fatalf("by %v: %ds by the day, %v by the other clock", d, got, later.Sub(now))
		}
	}
}

// TestLifeSignWhenClockIsSet: a heartbeat counts from when it came, also when the clock of the day has been set since.
func TestLifeSignWhenClockIsSet(t *testing.T) {
	start := time.Now()
	for _, d := range []time.Duration{time.Hour, -time.Hour} {
		var l lifeSign
		l.show(clockSet(start.Add(2*time.Second), d))
		if got := l.since(start); got != 2*time.Second {
			t.Errorf("the clock is set by %v: a heartbeat after 2s counts as after %v", d, got)
		}
	}
}

// TestCertificatesWhenClockIsSet: new certificates are found after the usual time, also when the clock of the day was set back.
func TestCertificatesWhenClockIsSet(t *testing.T) {
	dir, ca := t.TempDir(), newAuthority(t)
	files := config.ServerTLS{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	issue := func(serial int64) {
		cert, key := ca.issue("localhost", serial)
		for name, data := range map[string][]byte{files.Cert: cert, files.Key: key} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	const lookPause = 2 * time.Second // between two looks
	issue(1)
	c := inbound.NewCertificates("tls", inbound.ListenerClients, nil, zap.NewNop(), newMetrics("").tls())
	take, err := c.Read(&files)
	if err != nil {
		t.Fatal(err)
	}
	take()
	now := time.Now()
	c.At(now)
	issue(2)
	for _, d := range []time.Duration{-2 * time.Hour, time.Hour} {
		if got := c.At(clockSet(now.Add(lookPause/2), d)).Certificates[0].Leaf.SerialNumber.Int64(); got != 1 {
			t.Errorf("the clock is set by %v: a look too early found certificate %d", d, got)
		}
	}
	if got := c.At(clockSet(now.Add(lookPause), -2*time.Hour)).Certificates[0].Leaf.SerialNumber.Int64(); got != 2 {
		t.Errorf("the clock was set back: certificate %d is served after %v", got, lookPause)
	}
}
