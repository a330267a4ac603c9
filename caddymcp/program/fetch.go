package program

import (
	"errors"
	"net/http"
	"sync"

	"github.com/itchyny/gojq"
)

// fetchAll(literal; requests; n; message) reads many things at once. Literal
// says that their paths are, in the text.
func fetchAll(r *run, _ any, args []any) any {
	return r.fetchAll("fetch_all", args[1:], func(v any) (*message, error) {
		spec, ok := v.(map[string]any)
		if !ok {
			return nil, misuse("fetch_all: a request is not an object")
		}
		return r.readMessage(spec, args[0] == true)
	}, func(f fetched) map[string]any {
		if f.err != nil {
			return map[string]any{"status": f.err.Value().(map[string]any)["status"], "error": f.err.Value()}
		}
		return map[string]any{"status": f.status, "body": f.body}
	})
}

// getAll(literal; paths; n; message) is fetchAll for paths.
func getAll(r *run, _ any, args []any) any {
	literal := args[0] == true
	return r.fetchAll("get_all", args[1:], func(v any) (*message, error) {
		return r.message(map[string]any{"method": http.MethodGet, "path": v}, literal)
	}, func(f fetched) map[string]any {
		if f.err != nil {
			return map[string]any{"ok": false, "error": f.err.Value()}
		}
		return map[string]any{"ok": true, "body": f.body}
	})
}

// fetched is what came of one request: a reply or an error.
type fetched struct {
	status int
	body   any
	err    *Error
	bug    error // an error that is not for the program
}

// fetchAll reads everything in a list, at most n at once, and gives the
// results in the order of the list. Nothing is sent if one of the requests
// cannot be. A message tells the client how many have been answered.
func (r *run) fetchAll(
	name string, args []any,
	read func(any) (*message, error),
	show func(fetched) map[string]any,
) any {
	list, ok := args[0].([]any)
	if !ok {
		return misuse("%s: the first argument is not an array", name)
	}
	n, ok := gojq.ToInt(args[1])
	if !ok || n < 1 {
		return misuse("%s: the second argument is not a number from 1", name)
	}
	report, err := r.reporter(len(list), args[2])
	if err != nil {
		return misuse("%s: the third argument is %w", name, err)
	}
	messages := make([]*message, len(list))
	for i, v := range list {
		if messages[i], err = read(v); err != nil {
			return err
		}
	}

	results := make([]fetched, len(list))
	var wg sync.WaitGroup
	slots := make(chan struct{}, min(n, max(1, len(list))))
	for i, m := range messages {
		slots <- struct{}{}
		if r.ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			results[i] = r.fetch(m)
			report()
		})
	}
	wg.Wait()
	if err := r.ctx.Err(); err != nil {
		return err
	}

	out := make([]any, len(results))
	for i, f := range results {
		if f.bug != nil {
			return f.bug
		}
		if f.err != nil {
			r.raised = append(r.raised, f.err)
		}
		out[i] = show(f)
	}
	return out
}

// reporter tells the client, by at most a hundred notifications, how many of a
// number of things are done. It is called for each that is. A nil message
// tells nothing.
func (r *run) reporter(total int, message any) (done func(), err error) {
	text, ok := message.(string)
	switch {
	case !ok && message != nil:
		return nil, errors.New("not a text")
	case !ok || r.call.Progress == nil:
		return func() {}, nil
	}
	var mu sync.Mutex
	n := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		n++
		if n*100/total > (n-1)*100/total && r.ctx.Err() == nil {
			r.call.Progress(r.ctx, float64(n), float64(total), text)
		}
	}, nil
}

// readMessage is message for a request that reads.
func (r *run) readMessage(spec map[string]any, literal bool) (*message, error) {
	if spec["method"] == nil {
		all := map[string]any{"method": http.MethodGet}
		for k, v := range spec {
			if k != "method" {
				all[k] = v
			}
		}
		spec = all
	}
	m, err := r.message(spec, literal)
	if err != nil {
		return nil, err
	}
	if isWrite(m.Method) {
		return nil, misuse("fetch_all: a request is neither GET nor HEAD")
	}
	return m, nil
}

// fetch makes one of several requests. It touches nothing of the run but its
// context and its sender.
func (r *run) fetch(m *message) (f fetched) {
	defer func() {
		if p := recover(); p != nil {
			f = fetched{bug: misuse("panic: %v", p)}
		}
	}()
	resp, err := r.call.Sender.Send(r.ctx, &m.Request)
	if err == nil {
		f.status = resp.Status
		f.body, err = DecodeBody(resp)
	}
	if err != nil {
		if err = m.failure(err); !errors.As(err, &f.err) {
			f.bug = err
		}
	}
	return f
}
