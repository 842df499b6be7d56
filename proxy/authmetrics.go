package proxy

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/proxy/internal/auth"
)

// authMetrics are those of TLS and of guards.
func (m *metrics) authMetrics() {
	m.handshakes = m.counter("tls_handshake_errors_total", "Connections of clients whose TLS handshake failed, by cause (plain_http, timeout, client_certificate, other).", "cause")
	for _, cause := range handshakeCauses {
		m.handshakes.WithLabelValues(cause)
	}
	m.certReads = m.counter("tls_certificate_reads_total", "Attempts to read changed certificates of clients' TLS, by result (ok, failed).", "result")
	m.certExpiry = m.gauge("tls_certificate_expiry_timestamp_seconds", "When the certificate that clients see expires; 0 without TLS.")
	m.http2 = newHTTP2Metrics(m)
	m.auth = m.counter("auth_total", "Requests to routes with auth, by the scheme that decided and what it said (ok, missing, refused, forbidden, unavailable).", "route", "scheme", "result")
	m.keyFetches = m.counter("jwks_fetches_total", "Attempts to fetch the public keys of tokens, by result (ok, failed).", "result")
	for _, c := range []*prometheus.CounterVec{m.certReads, m.keyFetches} {
		c.WithLabelValues("ok")
		c.WithLabelValues("failed")
	}
}

// resultOf is the label of an attempt.
func resultOf(err error) string {
	if err != nil {
		return "failed"
	}
	return "ok"
}

// readCerts counts an attempt to read changed certificates.
func (m *metrics) readCerts(err error) { m.certReads.WithLabelValues(resultOf(err)).Inc() }

// fetched counts an attempt to fetch public keys.
func (m *metrics) fetched(err error) { m.keyFetches.WithLabelValues(resultOf(err)).Inc() }

// authenticated counts what a scheme says of a request.
func (r *routeMetrics) authenticated(scheme string, result auth.Result) {
	r.all.auth.WithLabelValues(r.route, scheme, string(result)).Inc()
}
