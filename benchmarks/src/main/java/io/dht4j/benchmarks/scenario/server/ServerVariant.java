package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.benchmarks.process.node.NodesSpec;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.server.config.Setting;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A variant of a cluster of standalone servers.
 *
 * @param name in the report
 * @param nodes number of nodes
 * @param settings of every node
 * @param components of the nodes that are not the standard ones: see {@link LabCustomizer}
 * @param ack number of replicas that must answer a request
 * @param from of how many
 * @param agreed whether its nodes may change
 */
public record ServerVariant(
        String name,
        int nodes,
        Map<Setting, String> settings,
        Map<String, String> components,
        int ack,
        int from,
        boolean agreed) {

    /** Keeps unmodifiable copies. */
    public ServerVariant {
        settings = copy(settings);
        components = Map.copyOf(components);
    }

    private static Map<Setting, String> copy(Map<Setting, String> settings) {
        Map<Setting, String> copy = new EnumMap<>(Setting.class);
        copy.putAll(settings);
        return Collections.unmodifiableMap(copy);
    }

    /** Returns standard fixed nodes with durable stores; each answers alone. */
    public static ServerVariant of(String name, int nodes, int ack, int from) {
        return new ServerVariant(name, nodes, Map.of(), Map.of(), ack, from, false);
    }

    /** Returns a copy with another name. */
    public ServerVariant named(String other) {
        return new ServerVariant(other, nodes, settings, components, ack, from, agreed);
    }

    /** Returns a copy with one more setting. */
    public ServerVariant with(Setting setting, String value) {
        return with(Map.of(setting, value));
    }

    private ServerVariant with(Map<Setting, String> further) {
        Map<Setting, String> more = new EnumMap<>(Setting.class);
        more.putAll(settings);
        more.putAll(further);
        return new ServerVariant(name, nodes, more, components, ack, from, agreed);
    }

    /**
     * Returns a copy over a transport.
     *
     * @param transport one of {@link PeerTransports#ALL}, or the class of a candidate in one of the jars of the run
     */
    public ServerVariant over(String transport) {
        return PeerTransports.ALL.contains(transport) ? with(PeerTransports.settings(transport)) : overClass(transport);
    }

    /**
     * Returns a copy over a transport.
     *
     * @param transport one of {@link PeerTransports#ALL}
     * @param connections to each peer, if the transport has several
     */
    public ServerVariant over(String transport, String connections) {
        return with(PeerTransports.settings(transport, connections));
    }

    /**
     * Returns a copy over a transport of the user's own.
     *
     * @param className of the candidate, in one of the jars of the run
     */
    public ServerVariant overClass(String className) {
        // As over gRPC, and unlike over HTTP, the transport has a port of its own.
        return with(Setting.TRANSPORT, "grpc").assembled(LabCustomizer.TRANSPORT_CLASS, className);
    }

    /** Returns a copy with other components. */
    public ServerVariant assembled(String part, String value) {
        Map<String, String> more = new LinkedHashMap<>(components);
        more.put(part, value);
        return new ServerVariant(name, nodes, settings, more, ack, from, agreed);
    }

    /** Returns a copy whose nodes form an agreed cluster, whose nodes may change. */
    public ServerVariant whoseNodesMayChange() {
        return new ServerVariant(name, nodes, settings, components, ack, from, true);
    }

    /**
     * Describes its nodes.
     *
     * @param directory of their data, which exists
     * @param jvm of each node, without the flags of the variant's components
     */
    public NodesSpec spec(Path directory, NodeJvm jvm) {
        NodeJvm own = jvm.with(LabCustomizer.jvmFlags(components));
        NodesSpec spec = NodesSpec.of(nodes, directory, settings).withJvm(own.heapMegabytes(), own.flags(nodes));
        return agreed ? spec.whoseNodesMayChange() : spec;
    }

    /** Returns its distinguishing options of the server's command line, for {@link Measurement#settings()}. */
    public Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("nodes", String.valueOf(nodes));
        shown.put("policy", ack + "/" + from);
        if (agreed) {
            shown.put("formed by", Setting.BOOTSTRAP.option());
        }
        settings.forEach((setting, value) -> shown.put(setting.option(), value));
        if (components.containsKey(LabCustomizer.TRANSPORT_CLASS)) {
            shown.remove(Setting.TRANSPORT.option());
        }
        shown.putAll(components);
        shown.values().removeIf(CandidateParameters.NONE::equals);
        return shown;
    }
}
