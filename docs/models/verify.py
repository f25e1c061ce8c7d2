"""Runs each mutation's first seed of a state file again, and that seed of the design as it is."""
import json, sys
import atomic_model as model
for name, task in json.load(open(sys.argv[1])).items():
    if name != 'design' and task[2] is not None:
        again = model.World(task[2], name, None, None, model.FIXES).run()
        clean = model.World(task[2], None, model.VARIANT_OF.get(name), model.PROFILE_OF[name], model.FIXES).run()
        print('%-13s seed %-5d %-26s design: %s' % (name, task[2], again, clean), flush=True)
