"""Runs the model in slices and keeps the progress in a file, so that short runs add up.

    python3 drive.py STATE SECONDS [--scenarios] [--design N] [--most N] [NAME ...]

STATE is a JSON file: task -> [next seed, {violation: number}, first seed, {variant: schedules}].  Tasks are "design" and
mutations; a mutation ends with its first seed or after --most schedules.  --design is the number of schedules of the
design for each 10 of every mutation."""
import json, os, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import atomic_model as model


def option(rest, name, default):
    if name not in rest:
        return default
    i = rest.index(name)
    value = int(rest[i + 1])
    del rest[i:i + 2]
    return value


def main():
    path, seconds, rest = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    end = saved = time.time()
    end += seconds
    if '--scenarios' in rest:
        rest.remove('--scenarios')
        import atomic_scenarios
        sys.argv = sys.argv[:1]
        atomic_scenarios.main()
    share, most = option(rest, '--design', 20), option(rest, '--most', 3000)
    names = rest or ['design'] + list(model.MUTATIONS)
    state = json.load(open(path)) if os.path.exists(path) else {}

    def save():
        with open(path + '.new', 'w') as f:
            json.dump(state, f)
        os.replace(path + '.new', path)

    def left(name):
        t = state.setdefault(name, [0, {}, None, {}])
        return name == 'design' or t[2] is None and t[0] < most

    while time.time() < end and any(left(n) for n in names):
        # those that have run least come first, so that a short run goes on where the last one ended
        for name in sorted((n for n in names if left(n)), key=lambda n: state[n][0] / (share if n == 'design' else 10)):
            t, bug = state[name], None if name == 'design' else name
            for _ in range(share if bug is None else 10):
                if time.time() >= end:
                    break
                world = model.World(t[0], bug, None, None, model.FIXES)
                found = world.run()
                kind = 'split' if world.split else 'tag' if world.tag else 'drop'
                t[3][kind] = t[3].get(kind, 0) + 1
                t[0] += 1
                if found:
                    t[1][found] = t[1].get(found, 0) + 1
                    if t[2] is None:
                        t[2] = t[0] - 1
                    print(name, t[0] - 1, kind, found, flush=True)
                    if bug:
                        break
                if time.time() > saved + 5:
                    saved = time.time()
                    save()
    save()
    print('design', state.get('design', [0])[0], 'processor %.1f s' % time.process_time())


if __name__ == '__main__':
    main()
