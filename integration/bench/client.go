package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
)

// A client has one connection, on which it makes one call at a time.
type client struct {
	transport *http.Transport
	major     int          // of the version of HTTP that the connection must speak
	dials     atomic.Int32 // must stay 1
	call      exchange
	calls     int
	reply     bytes.Buffer
}

// newClient is a client of a site. It keeps to HTTP/2 for https, with a
// connection of its own, and to HTTP/1.1 else.
func newClient(scheme string, cert certificate) *client {
	c := &client{major: 1}
	protocols := new(http.Protocols)
	if scheme == "https" {
		c.major = 2
		protocols.SetHTTP2(true)
	} else {
		protocols.SetHTTP1(true)
	}
	c.transport = &http.Transport{
		Protocols:          protocols,
		TLSClientConfig:    &tls.Config{RootCAs: cert.pool},
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c.dials.Add(1)
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}
	return c
}

// An exchange is a request that is made again and again, and the reply it must
// get.
type exchange struct {
	method, url string
	header      http.Header
	body, reply numbered
}

// A numbered is a text that holds the number of the call, which a session must
// not use twice, or the same text for every call.
type numbered struct {
	before, after []byte
	number        bool
}

// numberIn takes the number of a call out of a text that holds it as its id.
func numberIn(text []byte, n int) (numbered, error) {
	before, after, ok := bytes.Cut(text, fmt.Appendf(nil, `"id":%d,`, n))
	if !ok {
		return numbered{}, fmt.Errorf("there is no id %d in: %.200s", n, text)
	}
	before = append(bytes.Clone(before), `"id":`...)
	return numbered{before, append([]byte(","), after...), true}, nil
}

// text is that of call n.
func (t numbered) text(n int) []byte {
	if !t.number {
		return t.before
	}
	text := make([]byte, 0, len(t.before)+len(t.after)+20)
	return append(strconv.AppendInt(append(text, t.before...), int64(n), 10), t.after...)
}

// is says whether that is the text of call n.
func (t numbered) is(got []byte, n int) bool {
	rest, ok := bytes.CutPrefix(got, t.before)
	if ok && t.number {
		rest, ok = bytes.CutPrefix(rest, strconv.AppendInt(nil, int64(n), 10))
	}
	return ok && bytes.Equal(rest, t.after)
}

// send makes a request, and returns the reply, whose body is in c.reply.
func (c *client) send(ctx context.Context, method, url string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	c.reply.Reset()
	if _, err := io.Copy(&c.reply, resp.Body); err != nil {
		return nil, err
	}
	if resp.ProtoMajor != c.major {
		return nil, fmt.Errorf("the reply is %s, not HTTP/%d", resp.Proto, c.major)
	}
	if c.dials.Load() != 1 {
		return nil, errors.New("a connection was closed and made anew")
	}
	return resp, nil
}

// again makes the call once more.
func (c *client) again(ctx context.Context) (*http.Response, error) {
	c.calls++
	return c.send(ctx, c.call.method, c.call.url, c.call.header, c.call.body.text(c.calls))
}

// check says what is wrong with the reply to the last call.
func (c *client) check(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK || !c.call.reply.is(c.reply.Bytes(), c.calls) {
		return fmt.Errorf("call %d of a connection got a wrong reply, %s: %.300s", c.calls, resp.Status, c.reply.Bytes())
	}
	return nil
}

// close closes the connection.
func (c *client) close() { c.transport.CloseIdleConnections() }
