package io.dht4j.server.cli.options;

import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.ItemFormat;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The key argument of a command. */
public final class KeyArgument {

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "KEY", description = "The key: 1 to 4096 bytes of UTF-8.")
    private String text = "";

    @Option(names = "--key-base64", description = "KEY is the Base64 of the key, for keys of any bytes.")
    private boolean isBase64;

    /**
     * Returns the key.
     *
     * @throws ParameterException if there is no such key
     */
    public Key key() {
        try {
            return isBase64 ? Key.of(ItemFormat.base64("KEY", text)) : Key.of(text);
        } catch (InvalidRequestException e) {
            throw new ParameterException(spec.commandLine(), "KEY: " + e.getMessage(), e);
        } catch (ClientException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
