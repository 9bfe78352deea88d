# Pliant from this checkout: docker build -t pliant . && docker run --rm -v "$PWD:/data" pliant train spec.yaml
# The Studio over ./runs:    docker run --rm -v "$PWD:/data" -p 8080:8080 pliant
FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm run pack -- --out /tarballs \
 && mkdir /use && mv /tarballs/pliant-onnxruntime-linux-$(node -p process.arch)-*.tgz /use/ \
 && rm /tarballs/pliant-onnxruntime-*.tgz && mv /tarballs/*.tgz /use/
WORKDIR /opt/pliant
RUN npm init --yes && npm install --omit=dev --ignore-scripts /use/*.tgz

FROM node:24-slim
COPY --from=build /opt/pliant /opt/pliant
ENV PATH=/opt/pliant/node_modules/.bin:$PATH
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
# Any answer means that the Studio is up. Commands that end by themselves are over before the first check.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/').then(() => process.exit(0), () => process.exit(1))"]
ENTRYPOINT ["pliant"]
CMD ["studio", "--host", "0.0.0.0", "--port", "8080", "--share"]
