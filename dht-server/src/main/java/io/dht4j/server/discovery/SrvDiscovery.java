package io.dht4j.server.discovery;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.Discovery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.InitialDirContext;

/**
 * Finds nodes by the SRV records of a name, for example those that Kubernetes keeps for a headless service. A record's
 * target and port are the address of a node, and the first label of the target is its name.
 */
public final class SrvDiscovery implements Discovery {

    private static final int FIELDS = 4;

    private final String name;
    private final String servers;

    /**
     * Creates a discovery by the DNS servers of the system.
     *
     * @param name the full name of the records, for example {@code _peer._tcp.dht.default.svc.cluster.local}
     */
    public SrvDiscovery(String name) {
        this(name, "");
    }

    /** Creates a discovery by one server, {@code host:port}; by those of the system if it is empty. */
    SrvDiscovery(String name, String server) {
        this.name = name;
        this.servers = server.isEmpty() ? "dns:" : "dns://" + server;
    }

    @Override
    @SuppressWarnings({"BanJNDI", "JdkObsolete"}) // JNDI requires it. The DNS provider deserializes no objects.
    public List<Node> find() throws IOException {
        Hashtable<String, String> environment = new Hashtable<>();
        environment.put("java.naming.factory.initial", "com.sun.jndi.dns.DnsContextFactory");
        environment.put("java.naming.provider.url", servers);
        environment.put("com.sun.jndi.dns.timeout.initial", "1000");
        environment.put("com.sun.jndi.dns.timeout.retries", "2");
        List<Node> nodes = new ArrayList<>();
        try {
            InitialDirContext context = new InitialDirContext(environment);
            try {
                Attribute records =
                        context.getAttributes(name, new String[] {"SRV"}).get("SRV");
                if (records == null) {
                    throw new IOException("DNS has no SRV records of " + name);
                }
                NamingEnumeration<?> all = records.getAll();
                while (all.hasMore()) {
                    nodes.add(node(String.valueOf(all.next())));
                }
            } finally {
                context.close();
            }
        } catch (NamingException e) {
            throw new IOException("DNS does not find SRV records of " + name + ": " + e.getMessage(), e);
        }
        return nodes;
    }

    /** Reads priority, weight, port and target. */
    private Node node(String record) throws IOException {
        String[] fields = record.split(" ", -1);
        if (fields.length != FIELDS) {
            throw new IOException("an SRV record of " + name + " is malformed: " + record);
        }
        String target = fields[3].endsWith(".") ? fields[3].substring(0, fields[3].length() - 1) : fields[3];
        return named(target, target + ":" + fields[2]);
    }

    /** Returns the node whose name is the first label of a host's name. */
    static Node named(String host, String address) throws IOException {
        try {
            return new Node(new NodeId(host.split("\\.", 2)[0]), address, 1);
        } catch (IllegalArgumentException e) {
            throw new IOException("DNS names a host that can be no node: " + e.getMessage(), e);
        }
    }
}
