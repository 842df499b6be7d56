package proxy

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/proxy/internal/auth"
)

// authMetrics are those of TLS and of guards.
func (m *metrics) authMetrics() {
	m.handshakes = m.counter("tls_handshake_errors_total", "Connections of clients whose TLS handshake failed, by listener (clients, admin) and cause (plain_http, timeout, client_certificate, other).", "listener", "cause")
	m.certReads = m.counter("tls_certificate_reads_total", "Attempts to read changed certificates, by listener (clients, admin) and result (ok, failed).", "listener", "result")
	m.certExpiry = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "tls_certificate_expiry_timestamp_seconds", Help: "When the certificate that is shown expires, by listener (clients, admin); 0 without TLS."}, []string{"listener"})
	m.registry.MustRegister(m.certExpiry)
	for _, listener := range []string{listenerClients, listenerAdmin} {
		m.tlsOf(listener)
	}
	m.http2 = newHTTP2Metrics(m)
	m.auth = m.counter("auth_total", "Requests to routes with auth, by the scheme that decided and what it said (ok, missing, refused, forbidden, unavailable).", "route", "scheme", "result")
	m.keyFetches = m.counter("jwks_fetches_total", "Attempts to fetch the public keys of tokens, by result (ok, failed).", "result")
	m.keyFetches.WithLabelValues("ok")
	m.keyFetches.WithLabelValues("failed")
}

// tlsOf makes the series of a listener, so that they are there before anything is counted.
func (m *metrics) tlsOf(listener string) {
	for _, cause := range handshakeCauses {
		m.handshakes.WithLabelValues(listener, cause)
	}
	m.certReads.WithLabelValues(listener, "ok")
	m.certReads.WithLabelValues(listener, "failed")
	m.certExpiry.WithLabelValues(listener)
}

// resultOf is the label of an attempt.
func resultOf(err error) string {
	if err != nil {
		return "failed"
	}
	return "ok"
}

// fetched counts an attempt to fetch public keys.
func (m *metrics) fetched(err error) { m.keyFetches.WithLabelValues(resultOf(err)).Inc() }

// authenticated counts what a scheme says of a request.
func (r *routeMetrics) authenticated(scheme string, result auth.Result) {
	r.all.auth.WithLabelValues(r.route, scheme, string(result)).Inc()
}
