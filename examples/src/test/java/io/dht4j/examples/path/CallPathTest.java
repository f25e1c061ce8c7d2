package io.dht4j.examples.path;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StringReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.dht4j.examples.Checkout;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The types of this library of which methods run in a call before its first request goes to the transport, on the
 * thread that makes the call: what a reader passes through. Those count that every call runs. The committed list may
 * only get shorter. A type whose job an existing one can do does not belong there.
 */
@Tag("full")
@Timeout(600)
class CallPathTest {

    private static final Path LIST =
            Checkout.root().resolve("examples/src/test/resources/io/dht4j/examples/path/types.txt");

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Path RUN = Path.of("target", "call-path-types.txt");

    @Test
    void callsRunMethodsOfTheListedTypesOnly() throws Exception {
        Map<String, Set<String>> listed = listed();
        Map<String, Set<String>> run = traced();

        List<String> lines = new ArrayList<>();
        run.forEach((call, types) -> {
            lines.add(call);
            types.forEach(type -> lines.add("  " + type));
        });
        Files.write(RUN, lines);
        assertThat(run.keySet()).isEqualTo(listed.keySet());
        run.forEach((call, types) -> assertThat(listed.get(call))
                .as("the types of %s; all that ran are in %s", call, RUN)
                .containsAll(types));
        listed.values().forEach(types -> assertThat(types).allSatisfy(CallPathTest::requireType));
    }

    private static void requireType(String type) {
        try {
            Class.forName(type.replace("$$Lambda", ""), false, CallPathTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError("a listed type is gone: " + type, e);
        }
    }

    /** Reads the list: a line with the name of a call, then its types, each on a line that begins with a space. */
    private static Map<String, Set<String>> listed() throws IOException {
        Map<String, Set<String>> types = new TreeMap<>();
        Set<String> current = new TreeSet<>();
        for (String line : Files.readAllLines(LIST)) {
            if (!line.startsWith(" ")) {
                current = new TreeSet<>();
                types.put(line, current);
            } else {
                current.add(line.strip());
            }
        }
        return types;
    }

    private static Map<String, Set<String>> traced() throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("main").setValue(TracedCalls.class.getName());
        arguments.get("options").setValue("-cp \"" + System.getProperty("java.class.path") + '"');
        VirtualMachine program = connector.launch(arguments);
        drain(program.process().getInputStream());
        drain(program.process().getErrorStream());
        try {
            return new Tracing(program).types();
        } finally {
            program.process().destroyForcibly();
        }
    }

    private static void drain(InputStream stream) {
        Thread drain = new Thread(() -> {
            try {
                stream.transferTo(System.out);
            } catch (IOException e) {
                System.out.println("the output of the traced program ended: " + e.getMessage());
            }
        });
        drain.setDaemon(true);
        drain.start();
    }

    /** Follows the calls of the program to its end. */
    private static final class Tracing {

        private final Map<String, Set<String>> types = new TreeMap<>();
        private final VirtualMachine program;
        private final MethodEntryRequest entries;
        private final Map<Long, String> threads = new HashMap<>();
        private final Set<Long> threadsOnTheWire = new HashSet<>();
        private final Set<String> ofCall = new TreeSet<>();
        private String call = "";

        Tracing(VirtualMachine program) {
            this.program = program;
            ClassPrepareRequest loaded = program.eventRequestManager().createClassPrepareRequest();
            loaded.addClassFilter(TracedCalls.class.getName());
            loaded.enable();
            entries = program.eventRequestManager().createMethodEntryRequest();
            entries.addClassFilter("io.dht4j.*");
            entries.addClassExclusionFilter(TracedCalls.class.getName() + "*");
            // Those of one thread come in their order. Stopped at each, the event loops would not keep up with timers.
            entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        }

        Map<String, Set<String>> types() throws Exception {
            try {
                while (true) {
                    EventSet events = program.eventQueue().remove(PATIENCE.toMillis());
                    assertThat(events).as("events within %s", PATIENCE).isNotNull();
                    for (Event event : events) {
                        handle(event);
                    }
                    events.resume();
                }
            } catch (VMDisconnectedException e) {
                return types;
            }
        }

        private void handle(Event event) throws Exception {
            if (event instanceof ClassPrepareEvent prepared) {
                stopAt(prepared.referenceType(), "begin");
                stopAt(prepared.referenceType(), "end");
            } else if (event instanceof MethodEntryEvent entered) {
                enter(entered);
            } else if (event instanceof BreakpointEvent reached) {
                if (reached.location().method().name().equals("end")) {
                    entries.disable();
                    // Only what each call runs: a timer is set now and then.
                    types.computeIfAbsent(call, name -> new TreeSet<>(ofCall)).retainAll(ofCall);
                    return;
                }
                call = ((StringReference)
                                reached.thread().frame(0).getArgumentValues().get(0))
                        .value();
                threadsOnTheWire.clear();
                ofCall.clear();
                entries.enable();
            }
        }

        private void stopAt(ReferenceType type, String method) {
            BreakpointRequest stop = program.eventRequestManager()
                    .createBreakpointRequest(type.methodsByName(method).get(0).location());
            stop.enable();
        }

        private void enter(MethodEntryEvent entered) {
            // Each question for a name of a running thread asks the program.
            String thread = threads.computeIfAbsent(
                    entered.thread().uniqueID(), id -> entered.thread().name());
            String type = entered.method().declaringType().name();
            boolean makesTheCall = call.startsWith("embedded") ? thread.equals("main") : thread.startsWith("vert.x");
            if (!makesTheCall || threadsOnTheWire.contains(entered.thread().uniqueID())) {
                return;
            }
            if (type.equals("io.dht4j.transport.tcp.TcpTransport")) {
                threadsOnTheWire.add(entered.thread().uniqueID());
                return;
            }
            ofCall.add(type.replaceFirst("\\$\\$Lambda.*", "\\$\\$Lambda"));
        }
    }
}
