package io.dht4j.server.discovery;

import io.dht4j.Node;
import io.dht4j.spi.Discovery;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds nodes by the addresses of a name, A or AAAA records in DNS. The name of a node is the first label of the name
 * in the PTR record of its address, since each request names its recipient.
 */
public final class AddressDiscovery implements Discovery {

    private final String name;
    private final int port;

    /**
     * Creates a discovery.
     *
     * @param name a name of all nodes
     * @param port the port of their transports, 1 to 65535
     */
    public AddressDiscovery(String name, int port) {
        this.name = name;
        this.port = port;
    }

    @Override
    public List<Node> find() throws IOException {
        InetAddress[] addresses;
        try {
            addresses = InetAddress.getAllByName(name);
        } catch (UnknownHostException e) {
            throw new IOException("no address of " + name + " is known", e);
        }
        List<Node> nodes = new ArrayList<>();
        for (InetAddress address : addresses) {
            String text = address.getHostAddress();
            String host = address.getCanonicalHostName();
            if (host.equals(text)) {
                throw new IOException("the address " + text + " of " + name
                        + " has no name (PTR record) that could be a node's: use SRV records, or name the nodes");
            }
            nodes.add(SrvDiscovery.named(host, (text.contains(":") ? "[" + text + "]" : text) + ":" + port));
        }
        return nodes;
    }
}
