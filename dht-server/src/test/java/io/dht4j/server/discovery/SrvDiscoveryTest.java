package io.dht4j.server.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Node;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SRV records of a small DNS server. */
class SrvDiscoveryTest {

    private static final int SRV = 33;
    private static final int HEADER = 12;

    private DatagramSocket server;
    private volatile List<String> targets = List.of();

    @BeforeEach
    void serve() throws IOException {
        server = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::run, "dns");
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void run() {
        byte[] buffer = new byte[512];
        while (!server.isClosed()) {
            DatagramPacket query = new DatagramPacket(buffer, buffer.length);
            try {
                server.receive(query);
                byte[] answer = answer(buffer, query.getLength());
                server.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Repeats the question, and adds a record for each target. */
    private byte[] answer(byte[] query, int length) throws IOException {
        int end = HEADER;
        while (query[end] != 0) {
            end += query[end] + 1;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(query, 0, 2);
        out.writeShort(targets.isEmpty() ? 0x8183 : 0x8180);
        out.writeShort(1);
        out.writeShort(targets.size());
        out.writeInt(0);
        out.write(query, HEADER, Math.min(length, end + 5) - HEADER);
        for (String target : targets) {
            out.writeShort(0xC000 | HEADER);
            out.writeShort(SRV);
            out.writeShort(1);
            out.writeInt(5);
            byte[] name = name(target);
            out.writeShort(6 + name.length);
            out.writeShort(0);
            out.writeShort(10);
            out.writeShort(7000);
            out.write(name);
        }
        return bytes.toByteArray();
    }

    private static byte[] name(String text) {
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        for (String label : text.split("\\.")) {
            name.write(label.length());
            name.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        name.write(0);
        return name.toByteArray();
    }

    private SrvDiscovery discovery() {
        return new SrvDiscovery("_peer._tcp.dht.test", "127.0.0.1:" + server.getLocalPort());
    }

    @Test
    void eachRecordIsANodeNamedByTheFirstLabelOfItsTarget() throws IOException {
        targets = List.of("dht-0.dht.test", "dht-1.dht.test");
        assertThat(discovery().find())
                .containsExactlyInAnyOrder(
                        Node.of("dht-0", "dht-0.dht.test:7000"), Node.of("dht-1", "dht-1.dht.test:7000"));
    }

    @Test
    void aNameWithoutRecordsIsNamed() {
        assertThatThrownBy(() -> discovery().find())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("SRV records of _peer._tcp.dht.test");
    }
}
